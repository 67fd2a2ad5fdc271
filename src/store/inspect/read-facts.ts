import type { Database } from '../engines/database.ts';
import { Installations } from '../queries/installations.ts';
import { taskKinds } from '../queries/tasks/task.ts';
import { requestFromJson, settingsFromJson } from '../schema/json.ts';
import { schemaState } from '../schema/migrate.ts';
import { migrations } from '../schema/migrations.ts';
import type { Queries } from '../schema/tables.ts';
import type { AgentRefusal, NoticeFacts, RefusedNotice, StoreFacts, TaskFailures } from './facts.ts';

/** How far back refusals are of interest. */
const RECENT_MS = 7 * 86_400_000;

/** What fails once or twice is tried again and done by then. */
const FAILING_FOR_MS = 60_000;

export const NOTHING_KNOWN: Omit<ReadFacts, 'schema'> = {
  installations: [],
  organisations: new Map(),
  notices: { saved: [], refused: [] },
  agentRefusals: [],
  failures: [],
};

type ReadFacts = Pick<
  StoreFacts,
  'schema' | 'installations' | 'organisations' | 'notices' | 'agentRefusals' | 'failures'
>;

/** Reads, and changes nothing. A schema of another version is not read. */
export async function readFacts(
  { queries, engine }: Pick<Database, 'queries' | 'engine'>,
  nowMs: number,
): Promise<ReadFacts> {
  const schema = await schemaState(queries, migrations(engine));
  const isCurrent = schema.missing.length === 0 && schema.unknown.length === 0;
  if (!isCurrent) return { schema, ...NOTHING_KNOWN };
  const installations = await new Installations(queries).all();
  const organisations = await organisationsIn(queries);
  const sinceMs = nowMs - RECENT_MS;
  const notices = await noticeFacts(queries, sinceMs);
  return {
    schema,
    installations,
    organisations,
    notices,
    agentRefusals: await agentRefusals(queries, sinceMs),
    failures: await taskFailures(queries, nowMs - FAILING_FOR_MS),
  };
}

async function taskFailures(db: Queries, sinceMs: number): Promise<TaskFailures[]> {
  const rows = await db
    .selectFrom('task')
    .select((eb) => [
      'kind',
      'failure',
      eb.fn.countAll<number | string>().as('count'),
      eb.fn.min('failing_since').as('since'),
    ])
    .where('kind', 'in', taskKinds)
    .where('failing_since', '<=', sinceMs)
    .groupBy(['kind', 'failure'])
    .orderBy('since')
    .execute();
  return rows.map(({ kind, failure, count, since }) => ({
    kind,
    count: Number(count),
    sinceMs: Number(since),
    words: failure ?? '',
  }));
}

async function organisationsIn(db: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('organisation_team').selectAll().execute();
  return new Map(rows.map(({ team_id, enterprise_id }) => [team_id, enterprise_id]));
}

async function noticeFacts(db: Queries, sinceMs: number): Promise<NoticeFacts> {
  const rows = await db.selectFrom('channel_setting').select(['team_id', 'data']).execute();
  const saved = rows.flatMap(({ team_id: teamId, data }) =>
    (settingsFromJson(data).noticeChannels ?? []).map((channelId) => ({ teamId, channelId })),
  );
  return { saved, refused: await refusedNotices(db, sinceMs) };
}

async function refusedNotices(db: Queries, sinceMs: number): Promise<RefusedNotice[]> {
  const notices = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.job_id')
    .select(['job.team_id', 'call.request', 'call.state', 'call.detail', 'call.ended_at'])
    .where('call.kind', '=', 'notify_channel')
    .where('call.state', 'in', ['done', 'failed'])
    .where('call.ended_at', '>', sinceMs)
    .orderBy('call.ended_at')
    .execute();
  // A channel that took one later is mended.
  const last = new Map<string, RefusedNotice | null>();
  for (const { team_id: teamId, request: json, state, detail, ended_at: atMs } of notices) {
    const request = requestFromJson(json);
    if (request.kind !== 'notify_channel') continue;
    const { channelId } = request;
    const isRefused = state === 'failed' && atMs !== null;
    const notice = isRefused ? { teamId, channelId, reason: detail ?? 'unknown', atMs } : null;
    last.set(`${teamId} ${channelId}`, notice);
  }
  return [...last.values()].filter((refused) => refused !== null);
}

/** Of each project, whether its last call that came to anything was refused for want of a right. */
async function agentRefusals(db: Queries, sinceMs: number): Promise<AgentRefusal[]> {
  const calls = await db
    .selectFrom('call')
    .select(['project_id', 'kind', 'state', 'detail'])
    .where('kind', 'in', ['create_job', 'send_message'])
    .where('state', 'in', ['wanted', 'done', 'failed'])
    .where('wanted_at', '>', sinceMs)
    .where((eb) => eb.or([eb('state', '=', 'done'), eb('detail', 'is not', null)]))
    .orderBy('seq')
    .execute();
  const last = new Map(calls.map((call) => [call.project_id, call]));
  return [...last.values()].flatMap(({ project_id: projectId, kind, state, detail }) => {
    if (state === 'done' || detail === null) return [];
    const [, reason, words] = /^(\w+): (.*)$/s.exec(detail) ?? [];
    const isRefusal = reason === 'unauthorized' || (reason === 'not_found' && kind === 'create_job');
    return isRefusal && words !== undefined ? [{ projectId, words }] : [];
  });
}
