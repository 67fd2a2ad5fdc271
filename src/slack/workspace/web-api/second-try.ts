import type { Clock } from '../../../engine/runtime/clock.ts';
import { SlackCallError } from './failure.ts';

/** Who waits for a request to be let in, waits for a second at most. */
const SECOND_AFTER_MS = 400;

/**
 * Asks Slack once more for what may be asked for twice: at once after a failure that may pass, or when there is no
 * answer for a while. The first answer counts.
 */
export async function withSecondTry<T>(ask: () => Promise<T>, clock: Clock): Promise<T> {
  const first = ask();
  const { promise: silence, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.at(clock.now() + SECOND_AFTER_MS, () => resolve(true));
  const isWorthAnother = await Promise.race([first.then(() => false, mayPass), silence]);
  cancel();
  if (!isWorthAnother) return first;
  const second = ask();
  return Promise.any([first, second]).catch(() => second);
}

/** The same, but only after a failure: for reads of many pages, of which one that fails need not end all. */
export async function againIfFailed<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!mayPass(error)) throw error;
    return ask();
  }
}

/** Not if Slack has asked to wait. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof SlackCallError)) return false;
  const { outcome, retryAfterMs, needsAdmin } = error.failure;
  return outcome !== 'refused' && retryAfterMs === null && !needsAdmin;
}
