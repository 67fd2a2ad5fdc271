import { sql } from 'kysely';
import { PullRequests } from '../../src/features/pull-requests/queries.ts';
import { columnName } from '../../src/store/engines/database.ts';
import { openDatabase, openStore, type StoreLocation } from '../../src/store/open.ts';
import type { Queries } from '../../src/store/schema/tables.ts';
import type { Store } from '../../src/store/store.ts';
import { aCall, aCreateCall, aDecision, aFollowUp } from '../../test/contract/store/samples.ts';
import { aJob } from '../../test/support/a-job.ts';
import { queryAt } from '../../test/support/postgres.ts';
import { slackApp } from '../support/processes.ts';
import { aMergedLook } from './merged-look.ts';

const PATTERN = 'old-job-pattern';
const PULL_REQUEST = `https://github.com/acme/${PATTERN}/pull/1`;
/** Few enough for the time that the store gives a statement. */
const JOBS_PER_STATEMENT = 10_000;
const COPIES_AT_ONCE = 3;
const DAY_MS = 86_400_000;
/** The oldest is within the retention, so that none is deleted while it is measured. */
const AGE_MS = 170 * DAY_MS;
/** The youngest counts in no budget any more. */
const SINCE_MS = DAY_MS;
/** SlackRequests are kept for 30 days only. */
const REQUESTS_SHARE = 30 / 170;

type Values = Readonly<Record<string, string>>;

/**
 * Fills a store with jobs that are over, each with its calls, a follow-up, a merged pull request that is watched no more,
 * and, if it is young enough, the requests.
 * The program's own code writes one; the database copies it. As in real ones, ids grow with the time, and names of requests are in no order.
 */
export async function storeOldJobs(location: StoreLocation, jobs: number): Promise<void> {
  const store = await openStore(location);
  await storePattern(store);
  await store.close();
  const { database } = await openDatabase(location);
  const { queries } = database;
  try {
    await run(queries, `delete from task where subject like '%${PATTERN}%'`);
    if ('databaseUrl' in location) {
      await copyAll(queries, jobs, onPostgres);
    } else {
      // Nobody minds if it is lost: what is measured are the program's own writes, later.
      await run(queries, 'pragma synchronous = off', 'pragma cache_size = -1000000');
      await copyAll(queries, jobs, onSqlite);
      await run(queries, 'pragma wal_checkpoint(truncate)');
    }
    await run(queries, 'update job_count set last_number = (select max(number) from job)');
  } finally {
    await database.close();
  }
  // Otherwise the database would do it by itself, while something is measured.
  if ('databaseUrl' in location) await queryAt(location.databaseUrl, 'vacuum analyze');
}

async function storePattern(store: Store): Promise<void> {
  const lane = { to: 'slack', name: `thread:${PATTERN}` } as const;
  const replies = { count: 0, authors: [] };
  const end = { link: null, branch: null, lastedMs: null, replies, undelivered: null };
  const announce = (id: string, kind: 'started' | 'turn_ended') => {
    const announcement = kind === 'started' ? ({ kind } as const) : ({ kind, ...end } as const);
    return aCall(id, { lane, naturalKey: `${id}:${PATTERN}`, request: { kind: 'announce', announcement } });
  };
  const calls = [
    aCall('card', { lane, naturalKey: `card:${PATTERN}` }),
    aCreateCall('create', {
      lane: { to: 'agent', name: `agent:${PATTERN}` },
      naturalKey: `create:${PATTERN}`,
    }),
    announce('post1', 'started'),
    announce('post2', 'turn_ended'),
  ];
  const look = aMergedLook();
  const job = aJob({
    id: PATTERN,
    teamId: slackApp.teamId,
    projectId: slackApp.projectId,
    threadTs: '1600000000.000000',
    stage: { kind: 'ended', status: 'completed', sinceMs: 0 },
    announcedPrLink: PULL_REQUEST,
    pullRequests: [{ url: PULL_REQUEST, facts: look.facts, seenAtMs: 0, reminders: 0 }],
  });
  const followUp = aFollowUp({ id: 'reply', jobId: PATTERN, state: 'sent', callId: 'create' });
  await store.transaction(async (tx) => {
    await tx.write(aDecision({ job, calls, followUps: [followUp] }), 0);
    await tx.queries(PullRequests).watch(job, { key: PULL_REQUEST, url: PULL_REQUEST }, 0);
    const looked = { outcome: 'seen', misses: 0, changedAtMs: 0, seen: look } as const;
    await tx.queries(PullRequests).recordCheck(`${job.teamId}:${PULL_REQUEST}`, looked);
    for (const { id } of calls) {
      await tx.calls.start(id, 0);
      await tx.calls.recordOutcome(id, { state: 'done', detail: '1600000000.000000' }, 0);
    }
    await tx.inboundRequests.remember(['pattern:1'], 0);
  });
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly jobs: number;
  readonly eightDigits: (number: string) => string;
}

const onSqlite = (number: string) => `format('%08x', ${number})`;
const onPostgres = (number: string) => `lpad(to_hex(${number}), 8, '0')`;
/** Different for each `n`. */
const SCRAMBLED = '(n * 2654435761) % 4294967296';

async function copyAll(queries: Queries, jobs: number, eightDigits: Range['eightDigits']): Promise<void> {
  let copied = 0;
  const copyOnAndOn = async () => {
    while (copied < jobs) {
      const first = copied + 1;
      copied = Math.min(copied + JOBS_PER_STATEMENT, jobs);
      await copy(queries, { first, last: copied, jobs, eightDigits });
    }
  };
  // Postgres copies on several connections at once; on SQLite they wait for each other.
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, copyOnAndOn));
}

async function copy(queries: Queries, { first, last, jobs, eightDigits }: Range): Promise<void> {
  const numbers = `with recursive series(n) as (select cast(${first} as bigint) union all select n + 1 from series where n < ${last})`;
  const at = `${Date.now() - AGE_MS} + n * ${Math.floor((AGE_MS - SINCE_MS) / jobs)}`;
  const key = eightDigits('n');
  const jobId = `'job-' || ${key}`;
  const renamed = (column: string) => `replace(pattern.${column}, '${PATTERN}', ${jobId})`;
  const insert = async (table: string, where: string, values: Values) => {
    const columns = await columnsOf(queries, table);
    const selected = columns.map((column) => values[column] ?? `pattern.${column}`);
    await run(
      queries,
      `insert into ${table} (${columns.join(', ')}) ${numbers}
       select ${selected.join(', ')} from series cross join ${table} as pattern where ${where}`,
    );
  };

  await insert('job', `pattern.id = '${PATTERN}'`, {
    id: jobId,
    channel_id: `'C0' || n % 200`,
    thread_ts: `(1600000000 + n) || '.000100'`,
    requester_id: `'U0' || n % 500`,
    requested_at: at,
    agent_job_id: `'agent-' || ${key}`,
    // The pattern's is 1.
    number: 'n + 1',
    data: renamed('data'),
  });
  await insert('follow_up', `pattern.job_id = '${PATTERN}'`, {
    id: `'reply-' || ${key}`,
    job_id: jobId,
    received_at: at,
  });
  await insert('pull_request', `pattern.key = '${PULL_REQUEST}'`, {
    key: renamed('key'),
    watched_from: at,
    looked_at: at,
    changed_at: at,
  });
  await insert('job_pull_request', `pattern.job_id = '${PATTERN}'`, {
    job_id: jobId,
    key: renamed('key'),
    url: renamed('url'),
  });
  await insert('call', `pattern.job_id = '${PATTERN}'`, {
    id: `${key} || '-' || pattern.id`,
    natural_key: renamed('natural_key'),
    job_id: jobId,
    lane: renamed('lane'),
    created_at: at,
    started_at: at,
    ended_at: at,
  });
  await insert(
    'inbound_request',
    `pattern.key like 'pattern:%' and pattern.at = 0 and n > ${jobs * (1 - REQUESTS_SHARE)}`,
    {
      key: `'trigger:' || ${eightDigits(SCRAMBLED)} || pattern.key`,
      at,
    },
  );
}

/** Without the one that the database numbers. */
async function columnsOf(queries: Queries, table: string): Promise<string[]> {
  const anyRow = sql.raw<Record<string, unknown>>(`select * from ${table} limit 1`);
  const { rows } = await anyRow.execute(queries);
  const columns = Object.keys(rows[0] ?? {}).map(columnName);
  return columns.filter((column) => column !== 'seq');
}

async function run(queries: Queries, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(queries);
}
