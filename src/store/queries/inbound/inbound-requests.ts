import { createHash } from 'node:crypto';
import { Table } from '../../schema/tables.ts';
import { preparedForMany, type Values } from '../prepared.ts';

const rememberKeys = preparedForMany(
  (db, keys: readonly Values<{ key: string }>[], { nowMs }: Values<{ nowMs: number }>) =>
    db
      .insertInto('inbound_request')
      .values(keys.map(({ key }) => ({ key, at: nowMs })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('key'),
);

/** Requests from Slack, so that a second delivery is recognised. */
export class InboundRequests extends Table {
  /** Remembers all keys of a request. False if any was known: the request was seen before, and must have no effect. */
  async remember(keys: readonly string[], nowMs: number): Promise<boolean> {
    // Sorted, so that concurrent deliveries wait for each other and do not deadlock.
    const distinct = [...new Set(keys.map(digested))].sort();
    if (distinct.length === 0) return true;
    const asItems = distinct.map((key) => ({ key }));
    const added = await rememberKeys.rows(this.db, asItems, { nowMs });
    return added.length === distinct.length;
  }

  async isKnown(keys: readonly string[]): Promise<boolean> {
    const row = await this.db
      .selectFrom('inbound_request')
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

/** Secrets that Slack gives with a step of a workflow: valid for a few minutes, and neither copied nor backed up. */
export class StepTokens extends Table {
  async keep(jobId: string, token: string, untilMs: number): Promise<void> {
    await this.db.insertInto('step_token').values({ job_id: jobId, token, until: untilMs }).execute();
  }

  /** Null: there is none, or it is not valid any more. */
  async get(jobId: string, nowMs: number): Promise<string | null> {
    const row = await this.db
      .selectFrom('step_token')
      .select('token')
      .where('job_id', '=', jobId)
      .where('until', '>', nowMs)
      .executeTakeFirst();
    return row?.token ?? null;
  }

  async forget(jobId: string): Promise<void> {
    await this.db.deleteFrom('step_token').where('job_id', '=', jobId).execute();
  }
}
