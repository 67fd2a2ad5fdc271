import type { RespondFn } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';
import { threadLink } from '../../protocol/links.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { jobAtAnotherView, jobForgottenView } from '../../views/thread/settled.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { inTime } from './in-time.ts';

type Deps = Pick<ListenerDeps, 'log'>;

/** Sends a private answer after the acknowledgement, if Slack takes it: nothing depends on it. */
export async function bestEffort({ log }: Deps, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}

/** A press of a button, or a choice in a message's menu. */
interface MadeAtMessage {
  readonly body: {
    readonly container?: Readonly<Record<string, unknown>>;
    readonly message?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly respond: RespondFn;
}

/** Answers the author of a request privately, beside its message or in its thread. */
export function answerBeside(
  deps: Deps,
  { body, respond }: MadeAtMessage,
  message: SlackMessage,
): Promise<void> {
  const threadTs = threadOf(body);
  const place = threadTs === null ? {} : { thread_ts: threadTs };
  return bestEffort(
    deps,
    respond({ response_type: 'ephemeral', replace_original: false, ...place, ...message }),
  );
}

/** The message's thread; null for a root, which is seen in its channel. */
function threadOf({ container, message }: MadeAtMessage['body']): string | null {
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  const ownTs = container?.message_ts ?? message?.ts;
  return typeof threadTs === 'string' && threadTs !== ownTs ? threadTs : null;
}

/**
 * For a press or form of an unknown job: deleted, or another program's.
 * @param postedTs of the message with the button, if any
 */
export async function unknownJobAnswer(deps: ListenerDeps, postedTs?: string): Promise<SlackMessage> {
  const sinceMs = postedTs === undefined ? 0 : Number(postedTs) * 1000 + CLOCK_SKEW_MS;
  return (await deps.isSharedSince(sinceMs)) ? jobAtAnotherView() : jobForgottenView();
}

/** Acknowledges the command with a private answer. */
export async function answer({ ack }: CommandArgs, message: SlackMessage): Promise<void> {
  await ack({ response_type: 'ephemeral', ...message });
}

/** Slack waits 3 seconds for a form. */
const FORM_WITHIN_MS = 2_000;

/** Returns the view's id; null if Slack did not open it in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  return inTime(deps, FORM_WITHIN_MS, opened(deps, triggerId, view), null);
}

async function opened(
  { poster, log }: ListenerDeps,
  triggerId: string,
  view: ModalView,
): Promise<string | null> {
  try {
    return await poster.openModal(triggerId, view);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  }
}

/** The link to the thread; null if there is none yet. */
export function linkTo(
  { workspaceUrl }: ListenerDeps,
  job: Pick<Job, 'channelId' | 'threadTs'> | null,
): string | null {
  return job && threadLink(workspaceUrl, job.channelId, job.threadTs);
}
