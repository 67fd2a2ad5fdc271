import { StoreError } from '../../store/errors.ts';
import type { SlackMessage } from '../views/message.ts';
import { notStoredView, storingUnclearView } from '../views/refusals.ts';
import type { ListenerDeps } from './deps.ts';

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
  const { promise: late, resolve } = Promise.withResolvers<SlackMessage>();
  const cancel = deps.clock.at(deps.clock.now() + ANSWER_WITHIN_MS, () => resolve(storingUnclearView()));
  try {
    return await Promise.race([stored(deps, write), late]);
  } finally {
    cancel();
  }
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
