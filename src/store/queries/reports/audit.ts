import { type SqlBool, sql } from 'kysely';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import type { AuditedReply, Recorded } from '../../../jobs/report/audit.ts';
import type { Period } from '../../../jobs/report/report.ts';
import type { FollowUpRow, Tables } from '../../schema/tables.ts';
import { pick, prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';
import { type Page, type Place, pageOf } from './reports.ts';

type Row = Tables['audit_entry'];

const insertEntry = prepared((db, row: Values<Row>) =>
  db
    .insertInto('audit_entry')
    .values(pick(row, 'at', 'id', 'team_id', 'user_id', 'action', 'source', 'job_id', 'outcome')),
);

/** What people did, for audits, as far as jobs and replies do not show it themselves. */
export class Audit extends Table {
  /** @param id unique */
  async record(recorded: Recorded, id: string): Promise<void> {
    const { atMs: at, teamId: team_id, userId: user_id, jobId: job_id, ...rest } = recorded;
    await insertEntry.change(this.db, { at, id, team_id, user_id, job_id, ...rest });
  }

  /** The period's records, in order of time. */
  async recorded({ sinceMs, untilMs }: Period, after: Place | null, limit: number): Promise<Page<Recorded>> {
    const rows = await this.db
      .selectFrom('audit_entry')
      .selectAll()
      .where('at', '>=', after?.at ?? sinceMs)
      .where('at', '<', untilMs)
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(at, id) > (${after?.at ?? 0}, ${after?.id ?? ''})`),
      )
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return pageOf(rows, limit, recordedFrom, ({ at, id }) => ({ at, id }));
  }

  /** The replies written in the period, by Slack's clock, in order of time. */
  async replies(
    { sinceMs, untilMs }: Period,
    after: Place<string> | null,
    limit: number,
  ): Promise<Page<AuditedReply, string>> {
    const rows = await this.db
      .selectFrom('follow_up')
      .innerJoin('job', 'job.id', 'follow_up.job_id')
      .select(['follow_up.id', 'message_ts', 'user_id', 'text', 'state', 'job_id', 'team_id'])
      .where('message_ts', '>=', after?.at ?? slackTime(sinceMs))
      .where('message_ts', '<', slackTime(untilMs))
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(message_ts, follow_up.id) > (${after?.at ?? ''}, ${after?.id ?? ''})`),
      )
      .orderBy('message_ts')
      .orderBy('follow_up.id')
      .limit(limit)
      .execute();
    return pageOf(rows, limit, replyFrom, ({ message_ts: at, id }) => ({ at, id }));
  }
}

function recordedFrom({ at: atMs, id: _id, team_id, user_id, job_id, ...rest }: Row): Recorded {
  return { atMs, teamId: team_id, userId: user_id, jobId: job_id, ...rest };
}

interface ReplyRow extends Pick<FollowUpRow, 'message_ts' | 'user_id' | 'text' | 'state' | 'job_id'> {
  readonly team_id: string;
}

function replyFrom({ message_ts, team_id: teamId, user_id: userId, job_id: jobId, ...rest }: ReplyRow) {
  const { text, state } = rest;
  return { writtenAtMs: Math.floor(Number(message_ts) * 1000), teamId, userId, jobId, text, state };
}
