import type { RespondFn } from '@slack/bolt';
import type { SlackMessage } from '../views/message.ts';
import type { ListenerDeps } from './deps.ts';

type Deps = Pick<ListenerDeps, 'log'>;

/** Waits for a private answer after the acknowledgement, as far as Slack takes it: nothing depends on it. */
export async function courtesy({ log }: Deps, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}

/** Answers who made a gesture, beside the message that it was made at. */
export function answerBeside(deps: Deps, respond: RespondFn, message: SlackMessage): Promise<void> {
  return courtesy(deps, respond({ response_type: 'ephemeral', replace_original: false, ...message }));
}
