import { StoreError } from '../../../store/errors.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notStoredView, storingUnclearView } from '../../views/refusals.ts';
import { noteGesture } from '../connection/noted-gesture.ts';
import type { ListenerDeps } from './deps.ts';
import { inTime } from './in-time.ts';

/** Slack shows people an error of its own after 3 seconds. */
const ANSWER_WITHIN_MS = 1_800;

/** What came of storing a gesture; or that it is not stored, or may not be, as the person is told. */
export type Stored<T> = { readonly result: T } | { readonly problem: SlackMessage };

/**
 * Stores what a person wants. `write` stores it at most once, so that it may run again: what the person is told is
 * its result, and nothing that an earlier run has left behind.
 */
export async function storeGesture<T>(deps: ListenerDeps, write: () => Promise<T>): Promise<Stored<T>> {
  const late = { problem: storingUnclearView() };
  const outcome = await inTime(deps, ANSWER_WITHIN_MS, stored(deps, write), late);
  if ('problem' in outcome) noteGesture({ outcome: 'failed' });
  return outcome;
}

async function stored<T>(deps: ListenerDeps, write: () => Promise<T>): Promise<Stored<T>> {
  try {
    return { result: await write() };
  } catch (error) {
    deps.log.error('gesture_not_stored', { error });
    const mayBeStored = error instanceof StoreError && error.mayBeCommitted;
    return mayBeStored ? storedAgain(deps, write) : { problem: notStoredView() };
  }
}

/** If the first try went through, the second changes nothing. */
async function storedAgain<T>(deps: ListenerDeps, write: () => Promise<T>): Promise<Stored<T>> {
  try {
    return { result: await write() };
  } catch (error) {
    deps.log.error('gesture_not_stored', { error });
    return { problem: storingUnclearView() };
  }
}
