import { type SqlBool, sql } from 'kysely';
import type { Reply } from '../../../jobs/event.ts';
import { fromJson, type Queries, type Tables, toJson } from '../../schema/tables.ts';
import type { Thread } from '../jobs.ts';
import { Table } from '../table.ts';

/** Much longer than it takes to learn whether a card was posted. */
const KEEP_MS = 3_600_000;
/** Replaces the time of an edit, and sorts after all of them. */
const WITHDRAWN = 'withdrawn';

/** Replies in threads that may turn out to belong to a card that is being posted, or to a request that is being stored. */
export class EarlyReplies extends Table {
  put(thread: Thread, reply: Reply, nowMs: number): Promise<void> {
    const { messageTs, userId, text, editedTs, ...more } = reply;
    return this.keep(
      thread,
      messageTs,
      { userId, text, editedTs: editedTs ?? '', more: toJson(more) },
      nowMs,
    );
  }

  /** Deleted in Slack: later deliveries of it are ignored. */
  withdraw(thread: Thread, messageTs: string, nowMs: number): Promise<void> {
    return this.keep(thread, messageTs, { userId: '', text: '', editedTs: WITHDRAWN, more: '' }, nowMs);
  }

  async has({ teamId, channelId, threadTs }: Thread, messageTs: string): Promise<boolean> {
    return (await this.row('earlyReply', { teamId, channelId, threadTs, messageTs })) !== undefined;
  }

  /** Removes the thread's replies. Returns those not withdrawn, oldest first. */
  async take({ teamId, channelId, threadTs }: Thread, nowMs: number): Promise<Reply[]> {
    const rows = await this.db
      .deleteFrom('earlyReply')
      .where((eb) => eb.and({ teamId, channelId, threadTs }))
      .returning(['messageTs', 'userId', 'text', 'editedTs', 'more'])
      .execute();
    // Only now: a card found after hours is no longer being opened.
    await forgetOldEarlyReplies(this.db, nowMs);
    return rows
      .filter((row) => row.editedTs !== WITHDRAWN)
      .map(({ editedTs, more, ...row }) => ({ ...row, editedTs: editedTs || null, ...fromJson(more) }))
      .sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
  }

  /** Inserts the reply, or replaces it by a later one. */
  private async keep(
    { teamId, channelId, threadTs }: Thread,
    messageTs: string,
    facts: Pick<Tables['earlyReply'], 'userId' | 'text' | 'editedTs' | 'more'>,
    nowMs: number,
  ): Promise<void> {
    await forgetOldEarlyReplies(this.db, nowMs);
    const { editedTs, text, more } = facts;
    await this.db
      .insertInto('earlyReply')
      .values({ teamId, channelId, threadTs, messageTs, receivedAt: nowMs, ...facts })
      .onConflict((conflict) =>
        conflict
          .columns(['teamId', 'channelId', 'threadTs', 'messageTs'])
          .doUpdateSet(facts)
          // Another event of the same message may have brought less.
          .where(
            sql<SqlBool>`early_reply.edited_ts < ${editedTs} or early_reply.edited_ts = ${editedTs}
              and length(early_reply.text) + length(early_reply.more) < length(${text}) + length(${more})`,
          ),
      )
      .execute();
  }
}

/** Deletes replies not taken within an hour, unless a card of the channel is still being posted. */
export async function forgetOldEarlyReplies(db: Queries, nowMs: number): Promise<void> {
  await db
    .deleteFrom('earlyReply')
    .where('receivedAt', '<', nowMs - KEEP_MS)
    .where(
      sql<SqlBool>`not exists (
        select 1 from job
        where job.team_id = early_reply.team_id and job.channel_id = early_reply.channel_id
          and stage in ('opening', 'draft') and (stage = 'opening' or job.thread_ts is null)
      )`,
    )
    .execute();
}
