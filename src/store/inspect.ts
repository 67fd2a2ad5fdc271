import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sql } from 'kysely';
import { freeBytesIn } from './backup.ts';
import { codeOf, type HeldLock, StoreError } from './engines/database.ts';
import { openPostgres } from './engines/postgres.ts';
import { connect, DATABASE_FILE, OWNER_FILE, openBeside } from './engines/sqlite.ts';
import { isBusy, sqliteError, unusableDirectory } from './engines/sqlite-errors.ts';
import { placeOf, type StoreLocation } from './open.ts';
import { BudgetQueue, ReadBudget } from './queries/budgets.ts';
import { Replicas, Stats } from './queries/operations.ts';
import { Installations } from './queries/workspaces.ts';
import { migrations, type SchemaState, schemaState } from './schema/migrations.ts';
import { fromJson, type Queries } from './schema/tables.ts';

const RECENT_MS = 7 * 86_400_000;
const LATEST_PULL_REQUESTS = 50;

type Rows = Readonly<Awaited<ReturnType<typeof readRows>>>;

export type NoticeFacts = Rows['notices'];

export type StoreFacts = Rows &
  Readonly<{
    place: string;
    /** `in_use`: no write was tried. */
    state: 'absent' | 'in_use' | 'writable';
    schema: SchemaState;
    sizeBytes: number | null;
    freeBytes: number | null;
    heldLocks: readonly HeldLock[];
  }>;

const NO_ROWS: Rows = {
  installations: [],
  organisations: new Map(),
  notices: { saved: [], refused: [] },
  agentRefusals: [],
  pauses: { reads: [], calls: [] },
  failures: [],
  pullRequests: [],
  otherConnections: 0,
};

/**
 * Changes nothing, even while docs-agent runs. Throws StoreError if the store cannot be opened, read or
 * written.
 */
export function inspectStore(location: StoreLocation, nowMs: number): Promise<StoreFacts> {
  return 'dataDir' in location
    ? inspectSqlite(location.dataDir, nowMs)
    : inspectPostgres(location.databaseUrl, nowMs);
}

async function inspectPostgres(databaseUrl: string, nowMs: number): Promise<StoreFacts> {
  const database = openPostgres(databaseUrl);
  const { queries } = database;
  try {
    const facts = await readFacts(queries, nowMs);
    const exists = facts.schema.applied.length > 0;
    await tryToWrite(queries, exists);
    const { rows } = await sql<{ size: number }>`
      select pg_database_size(current_database()) as size`.execute(queries);
    return {
      place: placeOf({ databaseUrl }),
      state: exists ? 'writable' : 'absent',
      ...facts,
      sizeBytes: rows[0]?.size ?? null,
      freeBytes: null,
      heldLocks: await database.heldLocks(),
    };
  } finally {
    await database.close();
  }
}

async function tryToWrite(db: Queries, exists: boolean) {
  const transaction = await db.startTransaction().execute();
  try {
    const write = exists
      ? sql`insert into heartbeat (id, beats) values (0, 0)`
      : sql`create table doctor_was_here (id integer)`;
    await write.execute(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

async function inspectSqlite(dataDir: string, nowMs: number): Promise<StoreFacts> {
  const directory = resolve(dataDir);
  const path = join(directory, DATABASE_FILE);
  const inUse = isOwned(directory);
  const freeBytes = inspectDirectory(directory, inUse);
  if (!existsSync(path)) {
    const schema = { applied: [], missing: Object.keys(migrations('sqlite')), unknown: [] };
    const nothing = { sizeBytes: null, heldLocks: [], ...NO_ROWS };
    return { place: directory, state: 'absent', schema, freeBytes, ...nothing };
  }
  const queries = openBeside(path, inUse);
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  try {
    return {
      place: directory,
      state: inUse ? 'in_use' : 'writable',
      ...(await readFacts(queries, nowMs)),
      sizeBytes: sizeOf(path) + sizeOf(`${path}-wal`),
      freeBytes,
      heldLocks: [],
    };
  } finally {
    await queries.destroy();
  }
}

function inspectDirectory(directory: string, inUse: boolean) {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw unusableDirectory(directory, 'ENOTDIR');
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    // Permissions prove nothing for root, or on a read-only file system.
    if (!inUse) rmdirSync(mkdtempSync(join(existing, '.docs-agent-doctor-')));
    return freeBytesIn(existing);
  } catch (error) {
    throw unusableDirectory(directory, codeOf(error));
  }
}

function isOwned(directory: string) {
  const path = join(directory, OWNER_FILE);
  if (!existsSync(path)) return false;
  try {
    using owner = connect(path, { readOnly: true });
    owner.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw sqliteError(directory, error);
  }
}

async function readFacts(db: Queries, nowMs: number) {
  const schema = await schemaState(db);
  const isCurrent = schema.missing.length + schema.unknown.length === 0;
  return { schema, ...(isCurrent ? await readRows(db, nowMs) : NO_ROWS) };
}

async function readRows(db: Queries, nowMs: number) {
  const sinceMs = nowMs - RECENT_MS;
  const served = await db.selectFrom('organisationTeam').selectAll().execute();
  const settings = await db.selectFrom('channelSetting').select(['teamId', 'data']).execute();
  const pullRequests = await db
    .selectFrom('pullRequest')
    .select('key')
    .orderBy('watchedFrom', 'desc')
    .limit(LATEST_PULL_REQUESTS)
    .execute();
  return {
    installations: await new Installations(db).all(),
    organisations: new Map(served.map(({ teamId, enterpriseId }) => [teamId, enterpriseId])),
    notices: {
      saved: settings.flatMap(({ teamId, data }) =>
        (fromJson(data).noticeChannels ?? []).map((channelId) => ({ teamId, channelId })),
      ),
      refused: await refusedNotices(db, sinceMs),
    },
    agentRefusals: await agentRefusals(db, sinceMs),
    pauses: {
      reads: await new ReadBudget(db).paused(nowMs),
      calls: await new BudgetQueue(db).paused(nowMs),
    },
    failures: await new Stats(db).failingTasks(nowMs),
    pullRequests: pullRequests.map(({ key }) => key) as readonly string[],
    otherConnections: await new Replicas(db).otherConnections(nowMs),
  };
}

/** Only each channel's last notice counts. */
async function refusedNotices(db: Queries, sinceMs: number) {
  const calls = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.jobId')
    .select(['job.teamId', 'call.request', 'call.state', 'call.detail'])
    .select(({ fn }) => fn.coalesce('call.endedAt', 'call.createdAt').as('atMs'))
    .where('call.kind', '=', 'notify_channel')
    .where((eb) =>
      eb.or([
        eb('call.state', 'in', ['done', 'failed']).and('call.endedAt', '>', sinceMs),
        eb('call.state', '=', 'pending').and('call.detail', 'is not', null),
      ]),
    )
    .orderBy('atMs')
    .execute();
  const notices = calls.flatMap(({ request, ...call }) => {
    const notice = fromJson(request);
    return notice.kind === 'notify_channel' ? [{ ...call, channelId: notice.channelId }] : [];
  });
  const last = new Map(notices.map((notice) => [`${notice.teamId} ${notice.channelId}`, notice]));
  return [...last.values()].flatMap(({ state, detail, ...notice }) =>
    state === 'done' ? [] : [{ ...notice, reason: detail ?? 'unknown', isTriedAgain: state === 'pending' }],
  );
}

async function agentRefusals(db: Queries, sinceMs: number) {
  const calls = await db
    .selectFrom('call')
    .select(['projectId', 'kind', 'state', 'detail'])
    .where('kind', 'in', ['create_job', 'send_message'])
    .where('state', 'in', ['pending', 'done', 'failed'])
    .where('createdAt', '>', sinceMs)
    .where((eb) => eb.or([eb('state', '=', 'done'), eb('detail', 'is not', null)]))
    .orderBy('seq')
    .execute();
  const last = new Map(calls.map((call) => [call.projectId, call]));
  return [...last.values()].flatMap(({ projectId, kind, state, detail }) => {
    if (state === 'done' || detail === null) return [];
    const [, reason, words] = /^(\w+): (.*)$/s.exec(detail) ?? [];
    const isRefusal = reason === 'unauthorized' || (reason === 'not_found' && kind === 'create_job');
    return isRefusal && words !== undefined ? [{ projectId, words }] : [];
  });
}

/**
 * Queries may see different states of the store. Throws StoreError if it is missing or of another version.
 */
export async function readStore<T>(
  location: StoreLocation,
  read: (queries: Queries) => Promise<T>,
): Promise<T> {
  const place = placeOf(location);
  const missingError = new StoreError(
    `There is no store in ${place} yet: docs-agent makes it when it starts.`,
  );
  const open = (dataDir: string) => {
    const path = join(dataDir, DATABASE_FILE);
    if (!existsSync(path)) throw missingError;
    const queries = openBeside(path, true);
    return { queries, close: () => queries.destroy() };
  };
  const { queries, close } = 'dataDir' in location ? open(place) : openPostgres(location.databaseUrl);
  try {
    const { applied, missing, unknown } = await schemaState(queries);
    if (applied.length === 0) throw missingError;
    if (missing.length > 0) {
      throw new StoreError(
        `The store in ${place} was written by an older docs-agent. Start this version on it once, or run \`docs-agent migrate\`.`,
      );
    }
    if (unknown.length > 0) {
      throw new StoreError(`The store in ${place} was written by a newer docs-agent. Use that version.`);
    }
    return await read(queries);
  } finally {
    await close();
  }
}
