import type { Reply } from '../../jobs/event.ts';
import { replyMoreFromJson, toJson } from '../schema/json.ts';
import type { Queries, Tables } from '../schema/tables.ts';
import type { Thread } from './jobs.ts';
import { prepared, type Values } from './prepared.ts';

/** Much longer than it takes to find out whether a card was posted. */
const KEEP_MS = 3_600_000;
/** In place of the time of an edit, and later than all of them. */
const WITHDRAWN = 'withdrawn';

type Row = Tables['early_reply'];
type Facts = Pick<Row, 'user_id' | 'text' | 'edited_ts' | 'more'>;

/** Inserts the row, or replaces it by a later one. */
const keepReply = prepared((db, row: Values<Row>) => {
  const { team_id, channel_id, thread_ts, message_ts, received_at, user_id, text, edited_ts, more } = row;
  const facts = { user_id, text, edited_ts, more };
  return db
    .insertInto('early_reply')
    .values({ team_id, channel_id, thread_ts, message_ts, received_at, ...facts })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'channel_id', 'thread_ts', 'message_ts'])
        .doUpdateSet(facts)
        .where('early_reply.edited_ts', '<', edited_ts),
    );
});

const takeReplies = prepared((db, { teamId, channelId, threadTs }: Values<Thread>) =>
  db
    .deleteFrom('early_reply')
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .where('thread_ts', '=', threadTs)
    .returning(['message_ts', 'user_id', 'text', 'edited_ts', 'more']),
);

const forgetReplies = prepared((db, { beforeMs }: Values<{ beforeMs: number }>) =>
  db
    .deleteFrom('early_reply')
    .where('received_at', '<', beforeMs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('job')
            .select('job.id')
            .whereRef('job.team_id', '=', 'early_reply.team_id')
            .whereRef('job.channel_id', '=', 'early_reply.channel_id')
            .where('job.stage', '=', 'opening'),
        ),
      ),
    ),
);

/**
 * Replies in threads that may turn out to be those of cards under way. Replies that were not taken within an hour are deleted
 * when the next is stored or taken, unless a card of the channel is still under way.
 */
export class EarlyReplies {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  /** Stores the reply, or replaces it if this is a later edit. */
  put(thread: Thread, reply: Reply, nowMs: number): Promise<void> {
    const { messageTs, userId, text, editedTs, ...more } = reply;
    const facts = { user_id: userId, text, edited_ts: editedTs ?? '', more: toJson(more) };
    return this.keep(thread, messageTs, facts, nowMs);
  }

  /** The reply was deleted in Slack: whatever else comes of it is too late. */
  withdraw(thread: Thread, messageTs: string, nowMs: number): Promise<void> {
    return this.keep(thread, messageTs, { user_id: '', text: '', edited_ts: WITHDRAWN, more: '' }, nowMs);
  }

  /** Removes the thread's replies and returns those that were not withdrawn, oldest first. */
  async take(thread: Thread, nowMs: number): Promise<Reply[]> {
    const rows = await takeReplies.rows(this.db, thread);
    // Only then: whose card was found after hours has no card under way any more.
    await forgetOldEarlyReplies(this.db, nowMs);
    return rows
      .filter((row) => row.edited_ts !== WITHDRAWN)
      .map((row) => ({
        messageTs: row.message_ts,
        userId: row.user_id,
        text: row.text,
        editedTs: row.edited_ts || null,
        ...replyMoreFromJson(row.more),
      }))
      .sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
  }

  private async keep(thread: Thread, messageTs: string, facts: Facts, nowMs: number): Promise<void> {
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

/** Those not taken within an hour, unless a card of the channel is still under way. */
export async function forgetOldEarlyReplies(db: Queries, nowMs: number): Promise<void> {
  await forgetReplies.change(db, { beforeMs: nowMs - KEEP_MS });
}
