import { type Kysely, type RawBuilder, sql } from 'kysely';

/** The lane of calls whose kind is renamed. */
const LANE = { before: 'whisper:', after: 'ephemeral:' } as const;

/** Tables, columns and stored JSON get the names that the code has for them. */
export async function renameWords(db: Kysely<unknown>): Promise<void> {
  await renameTables(db);
  await renameStages(db);
  await renameCalls(db);
  await sql`update follow_up set state = 'excluded' where state = 'kept_out'`.execute(db);
  await replaceIn(db, 'early_reply', 'more', [['"attached":', '"attachments":']]);
}

/** The two verbs that repeat something, as people read them. */
export async function renameRepeatVerbs(db: Kysely<unknown>): Promise<void> {
  await replaceIn(db, 'call', 'request', [
    ['"action":"retry"', '"action":"send_again"'],
    ['"action":"run_again"', '"action":"start_again"'],
  ]);
}

async function renameTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.dropIndex('gesture_at').execute();
  await schema.alterTable('gesture').renameTo('inbound_request').execute();
  await schema.createIndex('inbound_request_at').on('inbound_request').column('at').execute();
  await schema.alterTable('task').renameColumn('unsure_until', 'unknown_until').execute();
  await schema.alterTable('call').renameColumn('wanted_at', 'created_at').execute();
  await schema.dropIndex('catch_up_wanted').execute();
  await schema.alterTable('catch_up').renameColumn('wishes', 'request_count').execute();
  await schema.alterTable('catch_up').renameColumn('wanted_at', 'requested_at').execute();
  await schema
    .createIndex('catch_up_requested')
    .on('catch_up')
    .columns(['team_id', 'urgency', 'requested_at'])
    .where(sql.ref('urgency'), 'is not', null)
    .execute();
}

async function renameStages(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('job_over').execute();
  await sql`
    update job set stage = case stage when 'asking' then 'awaiting_confirmation' else 'card_failed' end
    where stage in ('asking', 'unopened')`.execute(db);
  await replaceIn(db, 'job', 'data', [
    ['"stage":{"kind":"asking"', '"stage":{"kind":"awaiting_confirmation"'],
    ['"stage":{"kind":"unopened"', '"stage":{"kind":"card_failed"'],
    // Of a trouble, and of the job.
    ['"told":true', '"isAnnounced":true'],
    ['"told":false', '"isAnnounced":false'],
    ['"told":', '"lastAnnounced":'],
    ['"attachedTo":', '"watchedAgentJobId":'],
  ]);
  await db.schema
    .createIndex('job_over')
    .on('job')
    .columns(['requested_at', 'id'])
    .where(sql`(stage || '')`, 'in', ['awaiting_confirmation', 'card_failed', 'rejected', 'ended'])
    .execute();
}

async function renameCalls(db: Kysely<unknown>): Promise<void> {
  await sql`update call set state = 'pending' where state = 'wanted'`.execute(db);
  await sql`
    update call set kind = case kind when 'whisper' then 'ephemeral' else 'notify_requester' end
    where kind in ('whisper', 'tell_requester')`.execute(db);
  await replaceIn(db, 'call', 'request', [
    ['"kind":"tell_requester"', '"kind":"notify_requester"'],
    ['"kind":"whisper"', '"kind":"ephemeral"'],
    ['"whisper":{', '"notice":{'],
    ['"offer":', '"action":'],
  ]);
  await sql`
    update call set lane = ${LANE.after} || substr(lane, ${sql.lit(LANE.before.length + 1)})
    where lane like ${`${LANE.before}%`}`.execute(db);
  await sql`
    update task set id = replace(id, ${LANE.before}, ${LANE.after}),
      subject = replace(subject, ${LANE.before}, ${LANE.after})
    where kind = 'post_to_slack' and subject like ${`${LANE.before}%`}`.execute(db);
}

/**
 * Replaces names in stored JSON. Each starts with a quotation mark, and is followed by a colon or is all of a value: in
 * a text, its quotation marks are escaped, so it is never found there.
 */
async function replaceIn(
  db: Kysely<unknown>,
  table: string,
  column: string,
  names: readonly (readonly [before: string, after: string])[],
): Promise<void> {
  const replaced = names.reduce<RawBuilder<unknown>>(
    (json, [before, after]) => sql`replace(${json}, ${sql.lit(before)}, ${sql.lit(after)})`,
    sql`${sql.ref(column)}`,
  );
  // Most rows of a large table have nothing to replace, and are not written.
  const isFound = names.map(([before]) => sql`${sql.ref(column)} like ${sql.lit(`%${before}%`)}`);
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${replaced} where ${sql.join(isFound, sql` or `)}`.execute(
    db,
  );
}
