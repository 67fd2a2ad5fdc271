import type { RespondFn } from '@slack/bolt';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { ListenerDeps } from './deps.ts';

type Deps = Pick<ListenerDeps, 'log'>;

/** Waits for a private answer after the acknowledgement, as far as Slack takes it: nothing depends on it. */
export async function courtesy({ log }: Deps, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}

/** A press of a button, or a choice in the menu of a message. */
interface MadeAtMessage {
  readonly body: {
    readonly container?: Readonly<Record<string, unknown>>;
    readonly message?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly respond: RespondFn;
}

/** Answers who made a gesture, beside the message that it was made at, in its thread. */
export function answerBeside(
  deps: Deps,
  { body, respond }: MadeAtMessage,
  message: SlackMessage,
): Promise<void> {
  const threadTs = threadOf(body);
  const place = threadTs === null ? {} : { thread_ts: threadTs };
  return courtesy(
    deps,
    respond({ response_type: 'ephemeral', replace_original: false, ...place, ...message }),
  );
}

/** The thread that the message stands in; null for the root, which is seen in its channel. */
function threadOf({ container, message }: MadeAtMessage['body']): string | null {
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  const ownTs = container?.message_ts ?? message?.ts;
  return typeof threadTs === 'string' && threadTs !== ownTs ? threadTs : null;
}
