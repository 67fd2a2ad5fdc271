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

const CALLS_MAX = 2_000;

export class Places extends Table {
  /** The bot has access again: retries what waits. Skips locked tasks. */
  async opened({ teamId, channelId }: Place, nowMs: number): Promise<void> {
    const group = `${teamId}/${channelId}/`;
    for (const kind of taskKinds) await this.tasks.runGroupNow(kind, group, nowMs, 1);
  }

  async closed(teamId: string, reasons: readonly string[]): Promise<ClosedPlace[]> {
    const waiting = this.db
      .selectFrom('call')
      .select(['jobId', 'request', 'detail'])
      .where('endedAt', 'is', null)
      // From the lanes of notices to those of threads: one range of the index.
      .where('lane', '>', 'notice:')
      .where('lane', '<', 'thread;')
      .where('kind', 'in', ['post_card', 'announce', 'notify_channel'])
      .where('state', '=', 'pending')
      .where('detail', 'in', [...reasons])
      .limit(CALLS_MAX)
      .as('waiting');
    const calls = await this.db
      .selectFrom(waiting)
      .innerJoin('job', 'job.id', 'waiting.jobId')
      .select(['waiting.request', 'waiting.detail', 'job.channelId', 'job.teamId'])
      .execute();
    const places = new Map<string, ClosedPlace>();
    // In SQL, this filter would start from all jobs of the workspace.
    for (const call of calls.filter((one) => one.teamId === teamId)) {
      const request = fromJson(call.request);
      const channelId = request.kind === 'notify_channel' ? request.channelId : call.channelId;
      const posts = (places.get(channelId)?.posts ?? 0) + 1;
      places.set(channelId, { channelId, reason: call.detail ?? '', posts });
    }
    return [...places.values()];
  }
}
