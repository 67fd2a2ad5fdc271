import { createHash } from 'node:crypto';
import { Table } from '../table.ts';

/** Requests from Slack, so that a second delivery is recognised. */
export class InboundRequests extends Table {
  /** Remembers all keys of a request. False if any was known: the request was seen before, and must have no effect. */
  async remember(keys: readonly string[], nowMs: number): Promise<boolean> {
    // Sorted, so that concurrent deliveries wait for each other and do not deadlock.
    const distinct = [...new Set(keys.map(digested))].sort();
    if (distinct.length === 0) return true;
    const added = await this.db
      .insertInto('inboundRequest')
      .values(distinct.map((key) => ({ key, at: nowMs })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .execute();
    return added.length === distinct.length;
  }

  async isKnown(keys: readonly string[]): Promise<boolean> {
    const row = await this.db
      .selectFrom('inboundRequest')
      .select('key')
      .where('key', 'in', keys.map(digested))
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** Keys name channels and people, who may ask to be forgotten; a digest serves as well. */
function digested(key: string): string {
  const kind = key.slice(0, key.indexOf(':') + 1);
  return kind + createHash('sha256').update(key).digest('base64url');
}

/**
 * Secrets that Slack gives with a workflow's step: valid for a few minutes, and neither copied nor backed up.
 */
export class StepTokens extends Table {
  async keep(jobId: string, token: string, untilMs: number): Promise<void> {
    await this.db.insertInto('stepToken').values({ jobId, token, until: untilMs }).execute();
  }

  /** Null: none, or expired. */
  async get(jobId: string, nowMs: number): Promise<string | null> {
    const row = await this.db
      .selectFrom('stepToken')
      .select('token')
      .where('jobId', '=', jobId)
      .where('until', '>', nowMs)
      .executeTakeFirst();
    return row?.token ?? null;
  }

  async forget(jobId: string): Promise<void> {
    await this.db.deleteFrom('stepToken').where('jobId', '=', jobId).execute();
  }
}

/** Senders retry for days, with the same id. */
export const HOOK_ANSWERS_KEPT_MS = 7 * 86_400_000;

/**
 * Answers to webhook requests, by the id that the sender gave each; and to a workflow's refused steps, by
 * their executions.
 */
export class HookAnswers extends Table {
  /**
   * The answer to the request with this key; null: it is new, and others who ask wait until the commit.
   * Answers older than a week are forgotten.
   */
  async claim(key: string, nowMs: number): Promise<string | null> {
    await this.db
      .deleteFrom('hookAnswer')
      .where('key', '=', digested(key))
      .where('at', '<', nowMs - HOOK_ANSWERS_KEPT_MS)
      .execute();
    const added = await this.db
      .insertInto('hookAnswer')
      .values({ key: digested(key), at: nowMs, answer: '' })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    if (added !== undefined) return null;
    return (await this.row('hookAnswer', { key: digested(key) }))?.answer ?? '';
  }

  async put(key: string, answer: string): Promise<void> {
    await this.db.updateTable('hookAnswer').set({ answer }).where('key', '=', digested(key)).execute();
  }

  /** It may be made again. */
  async release(key: string): Promise<void> {
    await this.db.deleteFrom('hookAnswer').where('key', '=', digested(key)).execute();
  }
}
