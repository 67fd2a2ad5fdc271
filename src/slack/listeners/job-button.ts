import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Job } from '../../jobs/job.ts';
import { applied } from '../../store/apply-event.ts';
import { decodeButton } from '../ids.ts';
import type { JobAction } from '../job-actions.ts';
import type { SlackMessage } from '../views/message.ts';
import { tooLateView } from '../views/too-late.ts';
import type { ListenerDeps } from './deps.ts';
import { storeGesture } from './store-gesture.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** A button of a job. Who presses it a second time, or too late, is told what is the case. */
export function jobButton(deps: ListenerDeps, jobAction: JobAction) {
  return async ({ action, body, ack, respond }: Args): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const event = target && jobAction.eventOf(target);
    let answer: SlackMessage | null = null;
    const write = () =>
      deps.store.transaction(async (tx) => {
        const job = target && (await tx.jobs.get(target.jobId));
        if (!job || !event || !isAtHome(job, body)) return;
        const context = deps.newContext();
        const keys = body.trigger_id ? [`press:${body.trigger_id}`] : [];
        if (!(await tx.gestures.remember(keys, context.nowMs))) return;
        const after = await applied(tx, job.id, event, context);
        answer = after.hasEffect ? null : tooLateView(jobAction.label, after.job);
      });
    const problem = await storeGesture(deps, write);
    if (problem === null) await ack();
    await tell(deps, body, respond, problem ?? answer);
    // Unacknowledged, so that Slack shows a warning at the button, too.
    if (problem !== null) throw new Error(`the press of ${jobAction.actionId} was not stored`);
  };
}

/** The target came back from outside: it only counts where the job lives. */
function isAtHome(job: Job, body: Args['body']): boolean {
  return job.channelId === body.channel?.id && job.teamId === body.team?.id;
}

/** For who pressed, where they pressed, as far as Slack takes it. */
async function tell(
  { log }: ListenerDeps,
  { container }: Args['body'],
  respond: Args['respond'],
  answer: SlackMessage | null,
): Promise<void> {
  if (answer === null) return;
  const { thread_ts: threadTs } = container;
  const place = typeof threadTs === 'string' ? { thread_ts: threadTs } : {};
  try {
    await respond({ response_type: 'ephemeral', replace_original: false, ...place, ...answer });
  } catch (error) {
    log.warn('press_not_answered', { error });
  }
}
