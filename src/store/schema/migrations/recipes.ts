import type { Kysely } from 'kysely';

export interface RecipeTable {
  team_id: string;
  name: string;
  job_id: string | null;
  failures: number;
  /** 1 or 0. */
  has_failed: number;
  paused_at: number | null;
}

export interface HookAnswerTable {
  key: string;
  at: number;
  /** Empty until the commit. */
  answer: string;
}

/** What has become of the recipes of the settings. */
export async function addRecipes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recipe')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('schedule', 'text')
    .addColumn('served_until', 'bigint', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.references('job.id').onDelete('set null'))
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('has_failed', 'integer', (column) => column.notNull())
    .addColumn('paused_at', 'bigint')
    .addPrimaryKeyConstraint('recipe_key', ['team_id', 'name'])
    .execute();
  await db.schema.createIndex('recipe_job').on('recipe').column('job_id').execute();
}

/** What requests to their webhooks were answered. */
export async function addHookAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hook_answer')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('hook_answer_at').on('hook_answer').column('at').execute();
}
