import { hash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Reply } from '#jobs/event.ts';
import { fromJson, type Tables, toJson } from '../schema/tables.ts';
import type { Thread } from './jobs.ts';
import { prepared } from './prepared.ts';
import { Table } from './table.ts';

const addRequests = prepared((db, _values, requests: readonly { key: string; at: number }[]) =>
  db
    .insertInto('inboundRequest')
    .values([...requests])
    .onConflict((conflict) => conflict.doNothing())
    .returning('key'),
);

export class InboundRequests extends Table {
  /** False if any key was known. */
  async remember(keys: readonly string[], nowMs: number): Promise<boolean> {
    // Sorted to avoid deadlocks.
    const distinct = [...new Set(keys.map(digested))].sort();
    if (distinct.length === 0) return true;
    const requests = distinct.map((key) => ({ key, at: nowMs }));
    const added = await addRequests(this.db, {}, requests);
    return added.length === distinct.length;
  }

  async isKnown(keys: readonly string[]): Promise<boolean> {
    const known = this.db.selectFrom('inboundRequest').select('key').where('key', 'in', keys.map(digested));
    return (await known.executeTakeFirst()) !== undefined;
  }
}

/** Keys name people, who may ask for erasure. */
function digested(key: string) {
  const kind = key.slice(0, key.indexOf(':') + 1);
  return kind + hash('sha256', key, 'base64url');
}

/** By a webhook request's id, or a refused step's execution. */
export class HookAnswers extends Table {
  /** Null: new. Concurrent claims wait until the commit. */
  async claim(key: string, nowMs: number): Promise<string | null> {
    const id = { key: digested(key) };
    if (await this.upsert('hookAnswer', id, { at: nowMs, answer: '' }, null)) return null;
    return (await this.row('hookAnswer', id))?.answer ?? '';
  }

  async put(key: string, answer: string): Promise<void> {
    await this.update('hookAnswer', { key: digested(key) }, { answer });
  }

  async release(key: string): Promise<void> {
    await this.delete('hookAnswer', { key: digested(key) });
  }
}

/** Sorts after every edit's time. */
const WITHDRAWN = 'withdrawn';

/** Replies that may belong to a card or request being stored. */
export class EarlyReplies extends Table {
  put(thread: Thread, { messageTs, userId, text, editedTs, ...more }: Reply, nowMs: number): Promise<void> {
    const columns = { userId, text, editedTs: editedTs ?? '', more: toJson(more) };
    return this.keep(thread, messageTs, columns, nowMs);
  }

  withdraw(thread: Thread, messageTs: string, nowMs: number): Promise<void> {
    return this.keep(thread, messageTs, { userId: '', text: '', editedTs: WITHDRAWN, more: '' }, nowMs);
  }

  async has({ teamId, channelId, threadTs }: Thread, messageTs: string): Promise<boolean> {
    return (await this.row('earlyReply', { teamId, channelId, threadTs, messageTs })) !== undefined;
  }

  async take({ teamId, channelId, threadTs }: Thread): Promise<Reply[]> {
    const rows = await this.db
      .deleteFrom('earlyReply')
      .where((eb) => eb.and({ teamId, channelId, threadTs }))
      .returning(['messageTs', 'userId', 'text', 'editedTs', 'more'])
      .execute();
    return rows
      .filter((row) => row.editedTs !== WITHDRAWN)
      .map(({ editedTs, more, ...row }) => ({ ...row, editedTs: editedTs || null, ...fromJson(more) }))
      .sort((a, b) => (a.messageTs < b.messageTs ? -1 : 1));
  }

  private async keep(
    { teamId, channelId, threadTs }: Thread,
    messageTs: string,
    columns: Pick<Tables['earlyReply'], 'userId' | 'text' | 'editedTs' | 'more'>,
    nowMs: number,
  ) {
    const { editedTs, text, more } = columns;
    // Another event of the message may have brought less.
    const isMore = sql<SqlBool>`early_reply.edited_ts < ${editedTs} or early_reply.edited_ts = ${editedTs}
      and length(early_reply.text) + length(early_reply.more) < length(${text}) + length(${more})`;
    const key = { teamId, channelId, threadTs, messageTs };
    await this.upsert('earlyReply', key, { receivedAt: nowMs, ...columns }, columns, isMore);
  }
}
