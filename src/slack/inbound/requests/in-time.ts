import { AsyncLocalStorage } from 'node:async_hooks';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView } from '../../views/refusals.ts';
import type { ListenerDeps } from '../deps.ts';

/** Slack waits 3 seconds for an answer to a request; the rest is for the way. */
const ANSWER_WITHIN_MS = 2_600;

const deadline = new AsyncLocalStorage<number>();

/** Answers a request: all the waits with `inTime` in it end, together, while Slack still waits. */
export function answering<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + ANSWER_WITHIN_MS, work);
}

/** What is awaited, or `late` if it takes longer. An error is thrown on. */
export async function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<T>();
  const untilMs = Math.min(clock.now() + withinMs, deadline.getStore() ?? Number.POSITIVE_INFINITY);
  const cancel = clock.at(untilMs, () => resolve(late));
  try {
    return await Promise.race([awaited, timeout]);
  } finally {
    cancel();
  }
}

/** Slack shows people an error of its own after 3 seconds. */
const READ_WITHIN_MS = 1_800;
/** A list without the names of those who are mentioned is better than none. */
const NAMES_WITHIN_MS = 1_000;

/** What is read for a person who waits, or that it could not be read. */
export async function show(deps: ListenerDeps, read: () => Promise<SlackMessage>): Promise<SlackMessage> {
  try {
    return await inTime(deps, READ_WITHIN_MS, read(), notReadView());
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView();
  }
}

/** The names of those who are mentioned in the texts, as far as they are known in time. */
export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, NAMES_WITHIN_MS, deps.names.of(texts.join('\n')), new Map());
}
