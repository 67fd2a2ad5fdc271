import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { JobEvent } from '../../jobs/event.ts';
import { applyEvent } from '../../store/apply-event.ts';
import { type ActionId, actionIds, type ButtonTarget, decodeButton } from '../ids.ts';
import type { ListenerDeps } from './deps.ts';
import { storeGesture } from './store-gesture.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** A button under a job's message. A second press, or one that comes too late, changes nothing. */
export function jobButton(deps: ListenerDeps, actionId: ActionId) {
  return async ({ action, body, ack, respond }: Args): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const event = target && eventOf(actionId, target);
    const write = () =>
      deps.store.transaction(async (tx) => {
        const job = target && (await tx.jobs.get(target.jobId));
        // The value came back from outside: it only counts where the job lives.
        if (!job || !event || job.channelId !== body.channel?.id || job.teamId !== body.team?.id) return;
        const context = deps.newContext();
        const keys = body.trigger_id ? [`press:${body.trigger_id}`] : [];
        if (!(await tx.gestures.remember(keys, context.nowMs))) return;
        await applyEvent(tx, job.id, event, context);
      });
    const problem = await storeGesture(deps, write);
    if (problem === null) return ack();
    await respond({ response_type: 'ephemeral', replace_original: false, ...problem });
    // Unacknowledged, so that Slack shows a warning at the button, too.
    throw new Error(`the press of ${actionId} was not stored`);
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
