import type { Job } from '../../jobs/job.ts';
import { SlackCallError } from '../failure.ts';
import type { ListenerDeps } from './deps.ts';

/** Slack waits 3 seconds for an answer, and the storing may have taken some of them. */
const WITHIN_MS = 500;

/** The address of the job's thread; null if there is none yet, or Slack does not give it soon. */
export async function linkSoon(deps: ListenerDeps, job: Job | null): Promise<string | null> {
  if (job === null || job.threadTs === null) return null;
  return permalinkSoon(deps, job.channelId, job.threadTs);
}

/** The address of a message; null if Slack does not give it, or not soon. */
export async function permalinkSoon(
  { clock, poster }: ListenerDeps,
  channelId: string,
  ts: string,
): Promise<string | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const cancel = clock.at(clock.now() + WITHIN_MS, () => resolve(null));
  try {
    return await Promise.race([poster.permalink(channelId, ts), late]);
  } catch (error) {
    if (error instanceof SlackCallError) return null;
    throw error;
  } finally {
    cancel();
  }
}
