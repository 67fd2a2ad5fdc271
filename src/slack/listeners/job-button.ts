import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { JobEvent } from '../../jobs/event.ts';
import { applyEvent } from '../../store/apply-event.ts';
import { type ActionId, actionIds, type ButtonTarget, decodeButton } from '../ids.ts';
import type { ListenerDeps } from './deps.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** A button under a job's message. A second press, or one that comes too late, changes nothing. */
export function jobButton(deps: ListenerDeps, actionId: ActionId) {
  return async ({ action, body, ack }: Args): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const event = target && eventOf(actionId, target);
    if (target && event) {
      await deps.store.transaction(async (tx) => {
        const job = await tx.jobs.get(target.jobId);
        // The value came back from outside: it only counts where the job lives.
        if (job === null || job.channelId !== body.channel?.id || job.teamId !== body.team?.id) return;
        await applyEvent(tx, job.id, event, deps.newContext());
      });
    }
    await ack();
  };
}

function eventOf(actionId: ActionId, { callId, creates }: ButtonTarget): JobEvent | null {
  if (actionId === actionIds.runAgain) {
    return creates === undefined ? null : { type: 'run_again_pressed', creates };
  }
  if (callId === undefined) return null;
  if (actionId === actionIds.startAgain) return { type: 'start_again_pressed', callId };
  return { type: 'resend_pressed', callId };
}
