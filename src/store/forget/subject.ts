import type { Queries } from '../schema/tables.ts';

/** Who or what is to be forgotten; `teamId` null: in all workspaces. */
export interface Subject {
  readonly kind: 'user' | 'channel';
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
  const { id } = subject;
  const naming = `%${id}%`;
  return lockedJobs(db, subject, '!=').where((eb) =>
    eb.or([
      eb('data', 'like', naming),
      eb.exists(
        eb
          .selectFrom('call')
          .select('call.id')
          .whereRef('call.job_id', '=', 'job.id')
          .where((call) =>
            call.or([
              call('request', 'like', naming),
              call('detail', 'like', naming),
              call('natural_key', 'like', naming),
            ]),
          ),
      ),
      eb.exists(
        eb
          .selectFrom('follow_up')
          .select('follow_up.id')
          .whereRef('follow_up.job_id', '=', 'job.id')
          .where((reply) =>
            reply.or([
              reply('user_id', '=', id),
              reply('text', 'like', naming),
              reply('more', 'like', naming),
            ]),
          ),
      ),
    ]),
  );
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
