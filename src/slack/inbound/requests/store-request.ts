import { StoreError } from '../../../store/errors.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notStoredView, storingUnclearView } from '../../views/refusals.ts';
import { noteRequest } from '../connection/logged-request.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from './in-time.ts';

/** Slack shows people an error of its own after 3 seconds. */
const ANSWER_WITHIN_MS = 1_800;

/** What came of a request. A problem is to be shown to the person. */
export type Stored<T> =
  | { readonly kind: 'stored'; readonly result: T }
  /** The person may not do this. */
  | { readonly kind: 'denied'; readonly problem: SlackMessage }
  /** It is not stored, or may not be. */
  | { readonly kind: 'failed'; readonly problem: SlackMessage };

export interface InboundWrite<T> {
  /** Why the person may not do this; null: they may. It asks Slack, so it runs before any transaction. */
  readonly admit?: () => Promise<SlackMessage | null>;
  /**
   * Stores the request at most once, so that it may run again. All that it has to say is its result: a transaction may
   * be undone and run a second time, and what it wrote elsewhere would stay.
   */
  readonly write: () => Promise<T>;
}

/** Stores what a person wants and waits for: admitted, written once, and settled in time for an answer. */
export async function storeRequest<T>(deps: ListenerDeps, request: InboundWrite<T>): Promise<Stored<T>> {
  const late: Stored<T> = { kind: 'failed', problem: storingUnclearView() };
  const stored = await inTime(deps, ANSWER_WITHIN_MS, store(deps, request, false), late);
  if (stored.kind === 'failed') noteRequest({ outcome: 'failed' });
  return stored;
}

/** If a try may have gone through unnoticed, there is a second one: then it changes nothing. */
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
