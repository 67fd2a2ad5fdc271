import { type Kysely, sql } from 'kysely';

const END = '"branch":null,"lastedMs":null,"replies":{"count":0,"authors":[]},"undelivered":null}';
const NO_LINK = `"kind":"turn_ended","link":null,${END}`;

interface Row {
  readonly id: string;
  readonly request: string;
  readonly data: string;
}

/** The end of a turn and its pull request were two announcements; now they are one. */
export async function joinTurnEnds(db: Kysely<unknown>): Promise<void> {
  // The pull request, which was to be announced next, says all of it.
  await sql`
    delete from call where ended_at is null and request like '%"kind":"finished","files":"new"}%'`.execute(
    db,
  );
  const { rows } = await sql<Row>`
    select call.id, request, data from call join job on job.id = call.job_id
    where ended_at is null and request like '%"kind":"finished","files":"same"}%'`.execute(db);
  for (const { id, request, data } of rows) {
    const { agentJob } = JSON.parse(data) as { agentJob: { prLink: string | null } | null };
    const link = agentJob?.prLink ? { url: agentJob.prLink, is: 'same' } : null;
    const ended = `"kind":"turn_ended","link":${JSON.stringify(link)},${END}`;
    const joined = request.replace('"kind":"finished","files":"same"}', () => ended);
    await sql`update call set request = ${joined} where id = ${id}`.execute(db);
  }
  // Of those that are posted, only the end itself is read.
  for (const files of ['new', 'same', 'none']) {
    const before = `"kind":"finished","files":"${files}"}`;
    await sql`
      update call set request = replace(request, ${sql.lit(before)}, ${sql.lit(NO_LINK)})
      where request like ${sql.lit(`%${before}%`)}`.execute(db);
  }
}
