import type { Reply } from '../jobs/event.ts';
import type { EarlyReplies, Thread } from './store.ts';
import type { Queries } from './tables.ts';

/** Much longer than it takes to find out whether a card was posted. */
const KEEP_MS = 3_600_000;

export class SqlEarlyReplies implements EarlyReplies {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async put(thread: Thread, reply: Reply, nowMs: number): Promise<void> {
    await this.db
      .deleteFrom('early_reply')
      .where('received_at', '<', nowMs - KEEP_MS)
      .execute();
    const facts = { user_id: reply.userId, text: reply.text, edited_ts: reply.editedTs ?? '' };
    await this.db
      .insertInto('early_reply')
      .values({ ...columns(thread), message_ts: reply.messageTs, received_at: nowMs, ...facts })
      .onConflict((conflict) =>
        conflict
          .columns(['team_id', 'channel_id', 'thread_ts', 'message_ts'])
          .doUpdateSet(facts)
          .where('early_reply.edited_ts', '<', facts.edited_ts),
      )
      .execute();
  }

  async remove(thread: Thread, messageTs: string): Promise<void> {
    await this.db
      .deleteFrom('early_reply')
      .where((eb) => eb.and({ ...columns(thread), message_ts: messageTs }))
      .execute();
  }

  async take(thread: Thread): Promise<Reply[]> {
    const rows = await this.db
      .deleteFrom('early_reply')
      .where((eb) => eb.and(columns(thread)))
      .returning(['message_ts', 'user_id', 'text', 'edited_ts'])
      .execute();
    return rows
      .map((row) => ({
        messageTs: row.message_ts,
        userId: row.user_id,
        text: row.text,
        editedTs: row.edited_ts || null,
      }))
      .sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
  }
}

function columns({ teamId, channelId, threadTs }: Thread) {
  return { team_id: teamId, channel_id: channelId, thread_ts: threadTs };
}
