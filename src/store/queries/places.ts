import { taskKinds } from '#jobs/task-kinds.ts';
import { fromJson } from '../schema/tables.ts';
import { Table } from './table.ts';

export type Place = Readonly<{
  teamId: string;
  channelId: string;
}>;

export type ClosedPlace = Readonly<{
  channelId: string;
  reason: string;
  posts: number;
}>;

const LANES = [
  ['thread:', 'thread;'],
  ['notice:', 'notice;'],
] as const;
const CALLS_MAX = 2_000;

function groupOf({ teamId, channelId }: Place) {
  return `${teamId}/${channelId}/`;
}

export class Places extends Table {
  /** The bot has access again: retries what waits. Skips locked tasks. */
  async opened(place: Place, nowMs: number): Promise<void> {
    for (const kind of taskKinds) await this.tasks.runGroupNow(kind, groupOf(place), nowMs, 1);
  }

  async closed(teamId: string, reasons: readonly string[]): Promise<ClosedPlace[]> {
    const places = new Map<string, ClosedPlace>();
    for (const [from, to] of LANES) {
      const waiting = this.db
        .selectFrom('call')
        .select(['jobId', 'request', 'detail'])
        .where('endedAt', 'is', null)
        .where('lane', '>', from)
        .where('lane', '<', to)
        .where('state', '=', 'pending')
        .where('detail', 'in', [...reasons])
        .limit(CALLS_MAX)
        .as('waiting');
      const calls = await this.db
        .selectFrom(waiting)
        .innerJoin('job', 'job.id', 'waiting.jobId')
        .select(['waiting.request', 'waiting.detail', 'job.channelId', 'job.teamId'])
        .execute();
      // In SQL, this filter would start from all jobs of the workspace.
      for (const call of calls.filter((one) => one.teamId === teamId)) {
        const request = fromJson(call.request);
        const channelId = request.kind === 'notify_channel' ? request.channelId : call.channelId;
        const posts = (places.get(channelId)?.posts ?? 0) + 1;
        places.set(channelId, { channelId, reason: call.detail ?? '', posts });
      }
    }
    return [...places.values()];
  }
}
