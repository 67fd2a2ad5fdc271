import { createHash } from 'node:crypto';
import { Table } from '../../schema/tables.ts';

/** Senders try again for days, with the same id. */
export const HOOK_ANSWERS_KEPT_MS = 7 * 86_400_000;

/**
 * What requests to webhooks were answered, by the id that the sender gave each; and what was said of a workflow's step
 * that was refused, by its execution.
 */
export class HookAnswers extends Table {
  /**
   * The answer to the request of this key; null: it is new, and whoever else asks waits until the commit. Of one that is
   * older than a week, nothing is known.
   */
  async claim(key: string, nowMs: number): Promise<string | null> {
    await this.db
      .deleteFrom('hook_answer')
      .where('key', '=', digested(key))
      .where('at', '<', nowMs - HOOK_ANSWERS_KEPT_MS)
      .execute();
    const added = await this.db
      .insertInto('hook_answer')
      .values({ key: digested(key), at: nowMs, answer: '' })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    if (added !== undefined) return null;
    const row = await this.db
      .selectFrom('hook_answer')
      .select('answer')
      .where('key', '=', digested(key))
      .executeTakeFirstOrThrow();
    return row.answer;
  }

  /** Answers a request that was claimed. */
  async put(key: string, answer: string): Promise<void> {
    await this.db.updateTable('hook_answer').set({ answer }).where('key', '=', digested(key)).execute();
  }

  /** It may be made again. */
  async release(key: string): Promise<void> {
    await this.db.deleteFrom('hook_answer').where('key', '=', digested(key)).execute();
  }
}

/** Senders may put anything into an id. */
function digested(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
