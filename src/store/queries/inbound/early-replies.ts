import { type SqlBool, sql } from 'kysely';
import type { Reply } from '../../../jobs/event.ts';
import { fromJson, type Queries, type Tables, toJson } from '../../schema/tables.ts';
import type { Thread } from '../jobs.ts';
import { pick, prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';

/** Much longer than it takes to learn whether a card was posted. */
const KEEP_MS = 3_600_000;
/** Replaces the time of an edit, and sorts after all of them. */
const WITHDRAWN = 'withdrawn';

type Row = Tables['early_reply'];

/** Inserts the row, or replaces it by a later one. */
const keepReply = prepared((db, row: Values<Row>) => {
  const facts = pick(row, 'user_id', 'text', 'edited_ts', 'more');
  return db
    .insertInto('early_reply')
    .values({ ...pick(row, 'team_id', 'channel_id', 'thread_ts', 'message_ts', 'received_at'), ...facts })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'channel_id', 'thread_ts', 'message_ts'])
        .doUpdateSet(facts)
        .where((eb) =>
          eb.or([
            eb('early_reply.edited_ts', '<', row.edited_ts),
            // Another event of the same message may have brought less.
            eb.and([
              eb('early_reply.edited_ts', '=', row.edited_ts),
              sql<SqlBool>`length(early_reply.text) + length(early_reply.more) < length(${row.text}) + length(${row.more})`,
            ]),
          ]),
        ),
    );
});

const replyStored = prepared(
  (db, { teamId, channelId, threadTs, messageTs }: Values<Thread & { messageTs: string }>) =>
    db
      .selectFrom('early_reply')
      .select('message_ts')
      .where((eb) =>
        eb.and({ team_id: teamId, channel_id: channelId, thread_ts: threadTs, message_ts: messageTs }),
      ),
);

const takeReplies = prepared((db, { teamId, channelId, threadTs }: Values<Thread>) =>
  db
    .deleteFrom('early_reply')
    .where((eb) => eb.and({ team_id: teamId, channel_id: channelId, thread_ts: threadTs }))
    .returning(['message_ts', 'user_id', 'text', 'edited_ts', 'more']),
);

const forgetReplies = prepared((db, { beforeMs }: Values<{ beforeMs: number }>) =>
  db
    .deleteFrom('early_reply')
    .where('received_at', '<', beforeMs)
    .where(
      sql<SqlBool>`not exists (
        select 1 from job
        where job.team_id = early_reply.team_id and job.channel_id = early_reply.channel_id
          and stage in ('opening', 'draft') and (stage = 'opening' or job.thread_ts is null)
      )`,
    ),
);

/** Replies in threads that may turn out to belong to a card that is being posted, or to a request that is being stored. */
export class EarlyReplies extends Table {
  put(thread: Thread, reply: Reply, nowMs: number): Promise<void> {
    const { messageTs, userId, text, editedTs, ...more } = reply;
    const facts = { user_id: userId, text, edited_ts: editedTs ?? '', more: toJson(more) };
    return this.keep(thread, messageTs, facts, nowMs);
  }

  /** Deleted in Slack: later deliveries of it are ignored. */
  withdraw(thread: Thread, messageTs: string, nowMs: number): Promise<void> {
    return this.keep(thread, messageTs, { user_id: '', text: '', edited_ts: WITHDRAWN, more: '' }, nowMs);
  }

  async has(thread: Thread, messageTs: string): Promise<boolean> {
    return (await replyStored.first(this.db, { ...thread, messageTs })) !== undefined;
  }

  /** Removes the thread's replies. Returns those not withdrawn, oldest first. */
  async take(thread: Thread, nowMs: number): Promise<Reply[]> {
    const rows = await takeReplies.rows(this.db, thread);
    // Only now: a card found after hours is no longer being opened.
    await forgetOldEarlyReplies(this.db, nowMs);
    return rows
      .filter((row) => row.edited_ts !== WITHDRAWN)
      .map((row) => ({
        messageTs: row.message_ts,
        userId: row.user_id,
        text: row.text,
        editedTs: row.edited_ts || null,
        ...fromJson(row.more),
      }))
      .sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
  }

  private async keep(
    thread: Thread,
    messageTs: string,
    facts: Pick<Row, 'user_id' | 'text' | 'edited_ts' | 'more'>,
    nowMs: number,
  ): Promise<void> {
    await forgetOldEarlyReplies(this.db, nowMs);
    await keepReply.change(this.db, {
      team_id: thread.teamId,
      channel_id: thread.channelId,
      thread_ts: thread.threadTs,
      message_ts: messageTs,
      received_at: nowMs,
      ...facts,
    });
  }
}

/** Deletes replies not taken within an hour, unless a card of the channel is still being posted. */
export async function forgetOldEarlyReplies(db: Queries, nowMs: number): Promise<void> {
  await forgetReplies.change(db, { beforeMs: nowMs - KEEP_MS });
}
