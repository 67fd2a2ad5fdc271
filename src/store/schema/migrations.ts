import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engines/database.ts';
import { cascade } from './cascade.ts';
import { addAudit } from './migrations/audit.ts';
import { addBackupOrigin } from './migrations/backup-origin.ts';
import { addCallPauses } from './migrations/call-pause.ts';
import { addCatchUps } from './migrations/catch-ups.ts';
import { retainDroppedDrafts } from './migrations/drafts.ts';
import { addFailures } from './migrations/failures.ts';
import { numberJobs, numberStartedJobs } from './migrations/job-numbers.ts';
import { addMoved } from './migrations/moved.ts';
import { addPullRequests } from './migrations/pull-requests.ts';
import { rateReads } from './migrations/read-rate.ts';
import { addHookAnswers, addRecipes } from './migrations/recipes.ts';
import { addReplicas } from './migrations/replicas.ts';
import { leaveRoomForClaims } from './migrations/room-for-claims.ts';
import { separateSchedules } from './migrations/schedules.ts';
import { shareWork } from './migrations/share-work.ts';
import { addStateReaction, dropStateReaction } from './migrations/state-reaction.ts';
import { addStepTokens } from './migrations/step-tokens.ts';
import { joinTurnEnds } from './migrations/turn-ends.ts';
import { renameRepeatVerbs, renameWords } from './migrations/words.ts';

/**
 * The changes of the schema, in the order of their names. They only go forward: a released migration is
 * never edited, and a change is a new one at the end.
 */
export function migrations(engine: Engine): Record<string, Migration> {
  return {
    '0001_start': { up: (db: Kysely<unknown>) => start(db, engine) },
    '0002_past_notices': { up: (db: Kysely<unknown>) => createPastNotices(db, engine) },
    '0003_share_work': { up: shareWork },
    '0005_waits_for_slack': { up: addWaitsForSlack },
    '0006_catch_up': { up: addCatchUps },
    '0009_failing_tasks': { up: addFailures },
    '0010_words': { up: renameWords },
    '0011_cascade': { up: (db: Kysely<unknown>) => cascade(db, engine) },
    '0012_job_numbers': { up: (db: Kysely<unknown>) => numberJobs(db, engine) },
    '0013_read_rate': { up: rateReads },
    '0014_state_reaction': { up: addStateReaction },
    '0015_turn_ends': { up: joinTurnEnds },
    '0016_repeat_verbs': { up: renameRepeatVerbs },
    '0017_pull_requests': { up: addPullRequests },
    '0018_moved': { up: addMoved },
    '0019_room_for_claims': { up: (db: Kysely<unknown>) => leaveRoomForClaims(db, engine) },
    '0020_dropped_drafts': { up: retainDroppedDrafts },
    '0021_recipes': { up: addRecipes },
    '0022_audit': { up: (db: Kysely<unknown>) => addAudit(db, inItsIndex(engine)) },
    '0023_hook_answers': { up: addHookAnswers },
    '0024_step_tokens': { up: addStepTokens },
    '0025_schedules': { up: separateSchedules },
    '0026_backup_origin': { up: addBackupOrigin },
    '0027_call_pause': { up: addCallPauses },
    '0028_replicas': { up: addReplicas },
    '0029_no_state_reaction': { up: dropStateReaction },
    '0030_started_jobs': { up: (db: Kysely<unknown>) => numberStartedJobs(db, engine) },
  };
}

/** The channel is first in the key, because `forget` asks by it alone. */
async function createPastNotices(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('past_notice')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('past_notice_key', ['channel_id', 'team_id', 'digest'])
    .modifyEnd(inItsIndex(engine))
    .execute();
}

/** Since when Slack holds up a post, and until when an update of unknown outcome may still arrive there. */
async function addWaitsForSlack(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('call').addColumn('held_since', 'bigint').execute();
  await db.schema.alterTable('task').addColumn('unsure_until', 'bigint').execute();
}

async function start(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createJobs(db);
  await createCalls(db, engine);
  await createTasks(db, engine);
  await createInstallations(db);
  await db.schema
    .createTable('gesture')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .modifyEnd(inItsIndex(engine))
    .execute();
  await db.schema.createIndex('gesture_at').on('gesture').column('at').execute();
  await db.schema
    .createTable('past_thread')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('thread_ts', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('past_thread_key', ['team_id', 'channel_id', 'thread_ts'])
    .execute();
  await db.schema.createIndex('past_thread_at').on('past_thread').column('at').execute();
  await db.schema
    .createTable('turn_lengths')
    .addColumn('project_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('lengths', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('channel_setting')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('channel_setting_key', ['team_id', 'channel_id'])
    .execute();
  await db.schema
    .createTable('home')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('home_key', ['team_id', 'user_id'])
    .execute();
  await db.schema
    .createTable('heartbeat')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('beats', 'bigint', (column) => column.notNull())
    .execute();
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('thread_ts', 'text')
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('requester_id', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('agent_job_id', 'text')
    .addColumn('has_pull_request', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('card_drawn_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('job_thread')
    .on('job')
    .columns(['team_id', 'channel_id', 'thread_ts'])
    .unique()
    .where(sql.ref('thread_ts'), 'is not', null)
    .execute();
  await db.schema.createIndex('job_stage').on('job').columns(['stage', 'team_id', 'channel_id']).execute();
  await db.schema.createIndex('job_requested').on('job').column('requested_at').execute();
  await db.schema
    .createIndex('job_requester')
    .on('job')
    .columns(['team_id', 'requester_id', 'requested_at', 'id'])
    .execute();
  await db.schema
    .createIndex('job_open')
    .on('job')
    .columns(['team_id', 'channel_id', 'requested_at', 'id'])
    .where(sql.ref('stage'), 'in', ['opening', 'creating', 'create_unknown', 'working'])
    .execute();
  await db.schema
    .createIndex('job_over')
    .on('job')
    .columns(['requested_at', 'id'])
    .where(sql`(stage || '')`, 'in', ['asking', 'unopened', 'rejected', 'ended'])
    .execute();
  await db.schema
    .createIndex('job_agent_job')
    .on('job')
    .columns(['agent_job_id'])
    .where(sql.ref('agent_job_id'), 'is not', null)
    .execute();
  await db.schema
    .createTable('follow_up')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id'))
    .addColumn('message_ts', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('edited_ts', 'text')
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('call_id', 'text')
    .addColumn('more', 'text', (column) => column.notNull())
    .addColumn('receipt_shown', 'text')
    .addColumn('receipts_tried', 'text', (column) => column.notNull())
    .addUniqueConstraint('follow_up_message', ['job_id', 'message_ts'])
    .execute();
  await db.schema
    .createTable('early_reply')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('thread_ts', 'text', (column) => column.notNull())
    .addColumn('message_ts', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('edited_ts', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('more', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('early_reply_key', ['team_id', 'channel_id', 'thread_ts', 'message_ts'])
    .execute();
}

/** Short rows stand in the index of their names itself: one page to write instead of two. */
function inItsIndex(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`without rowid` : sql``;
}

async function createCalls(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('call')
    .addColumn('seq', engine === 'sqlite' ? 'integer' : 'bigserial', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('natural_key', 'text', (column) => column.notNull().unique())
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id'))
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('detail', 'text')
    .addColumn('wanted_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('call_of_job').on('call').columns(['job_id', 'seq']).execute();
  await db.schema
    .createIndex('call_next_in_lane')
    .on('call')
    .columns(['lane', 'seq'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('call_in_budget')
    .on('call')
    .columns(['project_id', 'started_at'])
    .where(sql.ref('kind'), 'in', ['create_job', 'send_message'])
    .execute();
}

async function createTasks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('task')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('run_at', 'bigint', (column) => column.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('last_run_at', 'bigint')
    .modifyEnd(inItsIndex(engine))
    .execute();
  // The kind comes first: a loop finds its own tasks at once, however many others wait.
  await db.schema.createIndex('task_due').on('task').columns(['kind', 'run_at']).execute();
  await db.schema
    .createIndex('task_leased')
    .on('task')
    .columns(['kind', 'lease_until'])
    .where(sql.ref('lease_until'), 'is not', null)
    .execute();
}

async function createInstallations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('is_organisation', 'integer', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('bot_user_id', 'text', (column) => column.notNull())
    .addColumn('bot_id', 'text', (column) => column.notNull())
    .addColumn('workspace_url', 'text')
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('installer_id', 'text', (column) => column.notNull())
    .addColumn('installed_at', 'bigint', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('bot_token', 'text', (column) => column.notNull())
    .addColumn('refresh_token', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('renewal', 'text')
    .addColumn('renewing_until', 'bigint')
    .addColumn('renewal_problem', 'text')
    .execute();
  await db.schema
    .createTable('organisation_team')
    .addColumn('team_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('enterprise_id', 'text', (column) => column.notNull())
    .execute();
}
