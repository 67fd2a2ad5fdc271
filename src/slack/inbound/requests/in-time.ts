import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from '../../../store/errors.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notReadView, notStoredView, storingUnclearView } from '../../views/refusals.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';

/** Slack waits 3 seconds for an answer, then shows its own error; the rest is for the network. */
const ANSWER_WITHIN_MS = 2_600;
/** Parts of that. */
const STORE_WITHIN_MS = 2_300;
const READ_WITHIN_MS = 1_800;
/** A list without some names is better than no list. */
const NAMES_WITHIN_MS = 1_000;

const deadline = new AsyncLocalStorage<number>();

/** Answers a request: all `inTime` waits inside share one deadline, within Slack's. */
export function answering<T>({ clock }: Pick<ListenerDeps, 'clock'>, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + ANSWER_WITHIN_MS, work);
}

/** Resolves to `late` if it takes longer. Rethrows errors. */
export function inTime<T>(
  { clock }: Pick<ListenerDeps, 'clock'>,
  withinMs: number,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const leftMs = (deadline.getStore() ?? Number.POSITIVE_INFINITY) - clock.now();
  return clock.timeout(Math.min(withinMs, leftMs), awaited, late);
}

/** The answer that was read, or that it could not be read. */
export async function show<T>(deps: ListenerDeps, read: () => Promise<T>): Promise<T | SlackMessage> {
  try {
    return await inTime<T | SlackMessage>(deps, READ_WITHIN_MS, read(), notReadView());
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView();
  }
}

/** The names of the people mentioned in the texts, as far as they are known in time. */
export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, NAMES_WITHIN_MS, deps.names.of(texts.join('\n')), new Map());
}

/** A problem is to be shown to the person. */
export type Stored<T> =
  | { readonly kind: 'stored'; readonly result: T }
  /** The person may not do this. */
  | { readonly kind: 'denied'; readonly problem: SlackMessage }
  /** Not stored, or unknown. */
  | { readonly kind: 'failed'; readonly problem: SlackMessage };

export interface InboundWrite<T> {
  /** Why the person may not do this; null: they may. It asks Slack, so it runs before any transaction. */
  readonly admit?: () => Promise<SlackMessage | null>;
  /** Stores the request at most once. It may run twice, so its only effects are in the store. */
  readonly write: () => Promise<T>;
}

/** Stores a request whose author waits: admitted, written once, and answered in time. */
export async function storeRequest<T>(deps: ListenerDeps, request: InboundWrite<T>): Promise<Stored<T>> {
  const late: Stored<T> = { kind: 'failed', problem: storingUnclearView() };
  const stored = await inTime(deps, STORE_WITHIN_MS, store(deps, request, false), late);
  if (stored.kind === 'failed') noteRequest({ outcome: 'failed' });
  return stored;
}

/** A commit that may have succeeded is tried once more; the second attempt then changes nothing. */
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
