import { StoreError } from '../../store/errors.ts';
import { noteGesture } from '../connection/noted-gesture.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { notStoredView, storingUnclearView } from '../views/refusals.ts';
import type { ListenerDeps } from './deps.ts';
import { inTime } from './in-time.ts';

/** Slack shows people an error of its own after 3 seconds. */
const ANSWER_WITHIN_MS = 1_800;

/**
 * Stores what a person wants. Null: it is stored; else what the person is told. `write` stores it at most once,
 * so that it may run again.
 */
export async function storeGesture(
  deps: ListenerDeps,
  write: () => Promise<void>,
): Promise<SlackMessage | null> {
  const problem = await inTime(deps, ANSWER_WITHIN_MS, stored(deps, write), storingUnclearView());
  if (problem !== null) noteGesture({ outcome: 'failed' });
  return problem;
}

async function stored(deps: ListenerDeps, write: () => Promise<void>): Promise<SlackMessage | null> {
  try {
    await write();
    return null;
  } catch (error) {
    deps.log.error('gesture_not_stored', { error });
    const mayBeStored = error instanceof StoreError && error.mayBeCommitted;
    return mayBeStored ? storedAgain(deps, write) : notStoredView();
  }
}

/** If the first try went through, the second changes nothing. */
async function storedAgain(deps: ListenerDeps, write: () => Promise<void>): Promise<SlackMessage | null> {
  try {
    await write();
    return null;
  } catch (error) {
    deps.log.error('gesture_not_stored', { error });
    return storingUnclearView();
  }
}
