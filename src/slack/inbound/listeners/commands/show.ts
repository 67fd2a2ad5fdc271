import type { SlackMessage } from '../../../views/parts/message.ts';
import { notReadView } from '../../../views/refusals.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';

/** Slack shows people an error of its own after 3 seconds. */
const ANSWER_WITHIN_MS = 1_800;
/** A list without the names of those who are mentioned is better than none. */
const NAMES_WITHIN_MS = 1_000;

/** What is read for a person who waits, or that it could not be read. */
export async function show(deps: ListenerDeps, read: () => Promise<SlackMessage>): Promise<SlackMessage> {
  try {
    return await inTime(deps, ANSWER_WITHIN_MS, read(), notReadView());
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView();
  }
}

/** The names of those who are mentioned in the texts, as far as they are known in time. */
export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, NAMES_WITHIN_MS, deps.names.of(texts.join('\n')), new Map());
}
