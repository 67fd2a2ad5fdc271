import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from '../../../store/errors.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView, notStoredView, storingUnclearView } from '../../views/refusals.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';

/** Slack waits 3 seconds for an answer to a request, then shows an error of its own; the rest is for the way. */
const ANSWER_WITHIN_MS = 2_600;
/** Parts of that. */
const STORE_WITHIN_MS = 2_300;
const READ_WITHIN_MS = 1_800;
/** A list without the names of those who are mentioned is better than none. */
const NAMES_WITHIN_MS = 1_000;

const deadline = new AsyncLocalStorage<number>();

/** Answers a request: all waits with `inTime` in it end, together, while Slack still waits. */
export function answering<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + ANSWER_WITHIN_MS, work);
}

/** What is awaited, or `late` if it takes longer. An error is thrown on. */
export function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const leftMs = (deadline.getStore() ?? Number.POSITIVE_INFINITY) - clock.now();
  return clock.timeout(Math.min(withinMs, leftMs), awaited, late);
}

/** What is read for a person who waits, or that it could not be read. */
export async function show<T>(deps: ListenerDeps, read: () => Promise<T>): Promise<T | SlackMessage> {
  try {
    return await inTime<T | SlackMessage>(deps, READ_WITHIN_MS, read(), notReadView());
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView();
  }
}

/** The names of the people whom the texts mention, as far as they are known in time. */
export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, NAMES_WITHIN_MS, deps.names.of(texts.join('\n')), new Map());
}

/** The outcome of a request. A problem is to be shown to the person. */
export type Stored<T> =
  | { readonly kind: 'stored'; readonly result: T }
  /** The person may not do this. */
  | { readonly kind: 'denied'; readonly problem: SlackMessage }
  /** It is not stored, or that is unknown. */
  | { readonly kind: 'failed'; readonly problem: SlackMessage };

export interface InboundWrite<T> {
  /** Why the person may not do this; null: they may. It asks Slack, so it runs before any transaction. */
  readonly admit?: () => Promise<SlackMessage | null>;
  /** Stores the request at most once. It may run twice, so it has no side effects outside of the store. */
  readonly write: () => Promise<T>;
}

/** Stores a request whose person waits for the answer: admitted, written once, and settled in time. */
export async function storeRequest<T>(deps: ListenerDeps, request: InboundWrite<T>): Promise<Stored<T>> {
  const late: Stored<T> = { kind: 'failed', problem: storingUnclearView() };
  const stored = await inTime(deps, STORE_WITHIN_MS, store(deps, request, false), late);
  if (stored.kind === 'failed') noteRequest({ outcome: 'failed' });
  return stored;
}

/** If the commit may have succeeded, it is tried once more; then the second attempt changes nothing. */
async function store<T>(
  deps: ListenerDeps,
  request: InboundWrite<T>,
  isSecondTry: boolean,
): Promise<Stored<T>> {
  const { admit = async () => null, write } = request;
  try {
    const denial = await admit();
    if (denial !== null) return { kind: 'denied', problem: denial };
    return { kind: 'stored', result: await write() };
  } catch (error) {
    deps.log.error('inbound_request_not_stored', { error });
    const mayBeStored = isSecondTry || (error instanceof StoreError && error.mayBeCommitted);
    if (mayBeStored && !isSecondTry) return store(deps, request, true);
    return { kind: 'failed', problem: mayBeStored ? storingUnclearView() : notStoredView() };
  }
}
