import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../schema/tables.ts';
import { type SubjectKind, type TextTable, textColumns } from './personal-columns.ts';

/** The person or channel to forget; `teamId` null: in all workspaces. */
export type Subject = Readonly<{
  kind: SubjectKind;
  id: string;
  teamId: string | null;
}>;

/** Replaces an id. */
export const FORGOTTEN = 'forgotten';

export function isNamed(text: string, { id }: Subject): boolean {
  return withoutName(text, id) !== text;
}

/** The text without the id and mentions of it. Ids are alphanumeric, so JSON stays valid. */
export function withoutName(text: string, id: string): string {
  return text
    .replace(/<[@#]([A-Za-z0-9]+)(?:\|[^<>"\\]*)?>/g, (mention, named) =>
      named === id ? `(${FORGOTTEN})` : mention,
    )
    .replace(/[A-Za-z0-9]+/g, (word) => (word === id ? FORGOTTEN : word));
}

/** Jobs to delete: the person's own, or those of the channel. Locked until commit. */
export function jobsOf(db: Queries, subject: Subject) {
  return lockedJobs(db, subject, '=');
}

/** Jobs of others in which the person replied, or a text names the subject. Locked likewise. */
export function touchedJobs(db: Queries, subject: Subject) {
  return lockedJobs(db, subject, '!=').where(sql<boolean>`(
    ${namesIn(textsOf('job'), subject)}
    or exists (select 1 from call where call.job_id = job.id and ${namesIn(textsOf('call'), subject)})
    or exists (
      select 1 from follow_up
      where follow_up.job_id = job.id and (user_id = ${subject.id} or ${namesIn(textsOf('followUp'), subject)})
    )
  )`);
}

function textsOf(table: TextTable): readonly string[] {
  return textColumns[table].texts.map((column) => `${table}.${column}`);
}

/** Whether a column may name the subject; `isNamed` decides. */
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
    .where(kind === 'user' ? 'requesterId' : 'channelId', whose, id)
    .$if(teamId !== null, (query) => query.where('teamId', '=', teamId ?? ''))
    .orderBy('id')
    .forUpdate();
}
