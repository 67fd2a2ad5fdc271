import type { Kysely, RawBuilder } from 'kysely';
import type { Recorded } from '../../../jobs/report/audit.ts';

/** See `queries/reports/audit.ts`. */
export interface AuditEntryTable {
  at: number;
  id: string;
  team_id: string;
  user_id: string | null;
  action: Recorded['action'];
  source: string;
  /** It may be deleted by now. */
  job_id: string | null;
  outcome: string;
}

/**
 * What people did that leaves no other trace: presses, settings, refusals. The time comes first in the key, since they
 * are written and read in its order.
 */
export async function addAudit(db: Kysely<unknown>, inItsIndex: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('job_id', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_entry_key', ['at', 'id'])
    .modifyEnd(inItsIndex)
    .execute();
  // An audit reads the replies of all jobs in the order in which they were written.
  await db.schema.createIndex('follow_up_written').on('follow_up').columns(['message_ts', 'id']).execute();
}
