import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';
import { type SubjectKind, type TextTable, textColumns } from './personal-columns.ts';

/** Who or what is to be forgotten; `teamId` null: in all workspaces. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly teamId: string | null;
}

/** In the place of an id. */
export const FORGOTTEN = 'forgotten';

/** Whether a text names the subject. */
export function isNamed(text: string, { id }: Subject): boolean {
  return withoutName(text, id) !== text;
}

/** The text without the id, and without mentions of it. Ids are letters and digits, so JSON stays what it is. */
export function withoutName(text: string, id: string): string {
  return text
    .replace(new RegExp(`<[@#]${id}(\\|[^>"\\\\]*)?>`, 'g'), `(${FORGOTTEN})`)
    .replace(new RegExp(`(?<![A-Za-z0-9])${id}(?![A-Za-z0-9])`, 'g'), FORGOTTEN);
}

/** The jobs that go altogether: a person's own, or those of the channel. Locked until the transaction ends. */
export function jobsOf(db: Queries, subject: Subject) {
  return lockedJobs(db, subject, '=');
}

/** Jobs of others that have to do with the subject: a person replied there, or a text names it. Locked likewise. */
export function touchedJobs(db: Queries, subject: Subject) {
  return lockedJobs(db, subject, '!=').where(sql<boolean>`(
    ${namesIn(textsOf('job'), subject)}
    or exists (select 1 from call where call.job_id = job.id and ${namesIn(textsOf('call'), subject)})
    or exists (
      select 1 from follow_up
      where follow_up.job_id = job.id and (user_id = ${subject.id} or ${namesIn(textsOf('follow_up'), subject)})
    )
  )`);
}

function textsOf(table: TextTable): readonly string[] {
  const { texts, unique } = textColumns[table];
  return (unique === null ? texts : [...texts, unique]).map((column) => `${table}.${column}`);
}

/** Whether one of the columns may name the subject: `isNamed` says whether it does. */
export function namesIn(columns: readonly string[], { id }: Subject): RawBuilder<boolean> {
  return sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} like ${`%${id}%`}`),
    sql` or `,
  )})`;
}

function lockedJobs(db: Queries, { kind, id, teamId }: Subject, whose: '=' | '!=') {
  return db
    .selectFrom('job')
    .selectAll()
    .where(kind === 'user' ? 'requester_id' : 'channel_id', whose, id)
    .$if(teamId !== null, (query) => query.where('team_id', '=', teamId ?? ''))
    .orderBy('id')
    .forUpdate();
}
