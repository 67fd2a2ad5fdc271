import type { Job } from '../../../jobs/job.ts';
import { threadLink } from '../../protocol/thread-link.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps } from './deps.ts';
import { inTime } from './in-time.ts';

/** Slack waits 3 seconds for a form. */
const WITHIN_MS = 500;

/** The address of the thread; null if there is none yet. */
export function linkTo(
  { workspaceUrl }: ListenerDeps,
  job: Pick<Job, 'channelId' | 'threadTs'> | null,
): string | null {
  return job && threadLink(workspaceUrl, job.channelId, job.threadTs);
}

/** The address of any message; null if Slack does not give it, or not soon. */
export function permalinkSoon(deps: ListenerDeps, channelId: string, ts: string): Promise<string | null> {
  return inTime(deps, WITHIN_MS, permalink(deps, channelId, ts), null);
}

async function permalink({ poster }: ListenerDeps, channelId: string, ts: string): Promise<string | null> {
  try {
    return await poster.permalink(channelId, ts);
  } catch (error) {
    if (error instanceof SlackCallError) return null;
    throw error;
  }
}
