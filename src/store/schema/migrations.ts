import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { type Database, StoreError } from '../engines/database.ts';
import type { Queries } from './tables.ts';

/** Never edit a released migration: append a new one. */
export function migrations(engine: Database['engine']): Record<string, Migration> {
  return {
    '0001_start': {
      up: async (db) => {
        const statements = tables(engine === 'sqlite' ? SQLITE : POSTGRES).split(';\n');
        for (const statement of statements) await sql.raw(statement).execute(db);
      },
    },
  };
}

type Dialect = Readonly<{
  serial: string;
  /** Stores short rows in their index: one page to write instead of two. */
  inItsIndex: string;
  busy: string;
}>;

const SQLITE: Dialect = { serial: 'integer', inItsIndex: 'without rowid', busy: 'without rowid' };

/**
 * Each check updates its task twice. With free space in the page, a new row version needs no index entries.
 * Vacuum starts after a fixed number of dead rows, without delays.
 */
const POSTGRES: Dialect = {
  serial: 'bigserial',
  inItsIndex: '',
  busy: `with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0)`,
};

const OF_A_JOB = 'references job (id) on delete cascade';

/** Each statement ends with `;` at the end of a line. */
const tables = ({ serial, inItsIndex, busy }: Dialect) => `
create table inbound_request (key text not null primary key, at bigint not null) ${inItsIndex};
create index inbound_request_at on inbound_request (at);

create table job (
  id text not null primary key,
  team_id text not null,
  channel_id text not null,
  thread_ts text,
  project_id text not null,
  requester_id text not null,
  requested_at bigint not null,
  stage text not null,
  agent_job_id text,
  has_pull_request integer not null,
  data text not null,
  card_drawn_at bigint,
  number integer
);
create unique index job_thread on job (team_id, channel_id, thread_ts) where thread_ts is not null;
create index job_stage on job (stage, team_id, channel_id);
create index job_requested on job (requested_at);
create index job_requester on job (team_id, requester_id, requested_at, id);
create index job_open on job (team_id, channel_id, requested_at, id)
  where stage in ('opening', 'creating', 'create_unknown', 'working');
-- retention.ts says why.
create index job_over on job (requested_at, id)
  where (stage || '') in ('awaiting_confirmation', 'dropped', 'card_failed', 'rejected', 'ended');
create index job_agent_job on job (agent_job_id) where agent_job_id is not null;
-- With the workspace first, it would attract queries by workspace, which have better indexes.
create unique index job_number on job (number, team_id);

create table job_count (team_id text not null primary key, last_number integer not null);

create table follow_up (
  id text not null primary key,
  job_id text not null ${OF_A_JOB},
  message_ts text not null,
  user_id text not null,
  text text not null,
  edited_ts text,
  received_at bigint not null,
  state text not null,
  call_id text,
  more text not null,
  receipt_shown text,
  receipts_tried text not null,
  unique (job_id, message_ts)
);
-- For audits.
create index follow_up_written on follow_up (message_ts, id);

create table early_reply (
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  message_ts text not null,
  user_id text not null,
  text text not null,
  edited_ts text not null,
  received_at bigint not null,
  more text not null,
  primary key (team_id, channel_id, thread_ts, message_ts)
);

create table call (
  seq ${serial} primary key,
  id text not null unique,
  natural_key text not null unique,
  job_id text not null ${OF_A_JOB},
  project_id text not null,
  lane text not null,
  kind text not null,
  request text not null,
  state text not null,
  detail text,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  held_since bigint,
  sent text
);
create index call_of_job on call (job_id, seq);
create index call_next_in_lane on call (lane, seq) where ended_at is null;
create index call_in_budget on call (project_id, started_at) where kind in ('create_job', 'send_message');

create table budget_queue (
  job_id text not null ${OF_A_JOB},
  kind text not null,
  project_id text not null,
  seq bigint not null,
  passed_until bigint,
  primary key (job_id, kind)
);
create index budget_queue_order on budget_queue (project_id, seq);

create table call_pause (
  project_id text not null primary key,
  at bigint not null,
  until bigint not null,
  refusals integer not null
);

create table read_budget (
  project_id text not null primary key,
  whole_at double precision not null,
  slowed_at bigint,
  slowed_share double precision,
  slowed_until bigint
);

create table task (
  id text not null primary key,
  kind text not null,
  subject text not null,
  job_id text ${OF_A_JOB},
  group_key text default '' not null,
  run_at bigint not null,
  lease_token text,
  lease_until bigint,
  attempts integer not null,
  revision bigint not null,
  last_run_at bigint,
  unknown_until bigint,
  failing_since bigint,
  failure text
) ${busy};
-- A loop finds its own kinds at once.
create index task_due on task (kind, run_at);
create index task_due_of_group on task (kind, group_key, run_at);
create index task_of_job on task (job_id);
create index task_failing on task (kind, failing_since) where failing_since is not null;

create table catch_up (
  job_id text not null primary key ${OF_A_JOB},
  team_id text not null,
  urgency integer,
  requested_at bigint not null,
  request_count bigint not null,
  sweep_from bigint,
  seen_ts text,
  oldest_ts text,
  cursor text,
  old_replies integer not null,
  failures integer not null
);
create index catch_up_requested on catch_up (team_id, urgency, requested_at) where urgency is not null;

create table pull_request (
  team_id text not null,
  key text not null,
  watched_from bigint not null,
  changed_at bigint,
  outcome text,
  misses integer not null,
  facts text,
  memory text,
  primary key (team_id, key)
);

-- A pull request can't be deleted while a job has it, so one that gets it just then keeps it.
create table job_pull_request (
  job_id text not null ${OF_A_JOB},
  team_id text not null,
  key text not null,
  url text not null,
  primary key (job_id, key),
  foreign key (team_id, key) references pull_request (team_id, key)
);
create index job_pull_request_jobs on job_pull_request (team_id, key, job_id);

-- forget.ts asks by the channel alone.
create table past_notice (
  team_id text not null,
  channel_id text not null,
  digest text not null,
  primary key (channel_id, team_id, digest)
) ${inItsIndex};

create table past_thread (
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  at bigint not null,
  primary key (team_id, channel_id, thread_ts)
);
create index past_thread_at on past_thread (at);

create table recipe (
  team_id text not null,
  name text not null,
  job_id text references job (id) on delete set null,
  failures integer not null,
  has_failed integer not null,
  paused_at bigint,
  primary key (team_id, name)
);
create index recipe_job on recipe (job_id);

create table schedule (
  team_id text not null,
  name text not null,
  schedule text,
  served_until bigint not null,
  primary key (team_id, name)
);

create table hook_answer (key text not null primary key, at bigint not null, answer text not null);
create index hook_answer_at on hook_answer (at);

create table step_token (
  job_id text not null primary key ${OF_A_JOB},
  token text not null,
  until bigint not null
);

-- Written and read in the order of time.
create table audit_entry (
  at bigint not null,
  id text not null,
  team_id text not null,
  user_id text,
  action text not null,
  source text not null,
  job_id text,
  outcome text not null,
  primary key (at, id)
) ${inItsIndex};

create table channel_setting (
  team_id text not null,
  channel_id text not null,
  data text not null,
  primary key (team_id, channel_id)
);

create table home (
  team_id text not null,
  user_id text not null,
  opened_at bigint not null,
  primary key (team_id, user_id)
);

create table installation (
  id text not null primary key,
  is_organisation integer not null,
  enterprise_id text,
  bot_user_id text not null,
  bot_id text not null,
  workspace_url text,
  scopes text not null,
  installed_at bigint not null,
  key_id text not null,
  bot_token text not null
);

create table organisation_team (team_id text not null primary key, enterprise_id text not null);

create table replica (
  id text not null primary key,
  connections integer not null,
  other_connections integer not null,
  seen_at bigint not null
);

create table heartbeat (id integer primary key, beats bigint not null);

create table moved (place text not null primary key, at bigint not null);

-- Identifies the installation, and numbers its backups.
create table backup_origin (installation_id text not null primary key, sequence bigint not null);
insert into backup_origin (installation_id, sequence) values ('${randomUUID()}', 0)`;

/** Applies all or none. Returns their names. */
export async function migrate(
  { patient, takeLock }: Pick<Database, 'patient' | 'takeLock'>,
  migrations: Record<string, Migration>,
): Promise<string[]> {
  return patient.transaction().execute(async (tx) => {
    await takeLock(tx, 'migration');
    const { unknown } = await schemaState(tx, migrations);
    if (unknown.length > 0) {
      throw new StoreError(
        `The store was written by a newer docs-agent (its schema has ${unknown.join(', ')}, which this ` +
          'version does not know). Start that version or a later one.',
      );
    }
    const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return results.map(({ migrationName }) => migrationName);
  });
}

export type SchemaState = Readonly<{
  applied: readonly string[];
  missing: readonly string[];
  unknown: readonly string[];
}>;

export async function schemaState(db: Queries, known = migrations('sqlite')): Promise<SchemaState> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isThere = tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE);
  const { rows } = isThere
    ? await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db)
    : { rows: [] };
  const applied = rows.map(({ name }) => name);
  return {
    applied,
    missing: Object.keys(known).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !(name in known)),
  };
}
