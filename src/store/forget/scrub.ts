import type { CallRequest } from '../../jobs/call.ts';
import { keptOut } from '../../jobs/follow-up.ts';
import { followUpFromRow, followUpMore } from '../queries/follow-ups.ts';
import { requestFromJson, toJson } from '../schema/json.ts';
import type { Queries } from '../schema/tables.ts';
import { FORGOTTEN, isNamed, type Subject, touchedJobs, withoutName } from './subject.ts';

const ERASED = '(erased)';
/** Under these keys calls hold what people wrote. */
const WORDS: ReadonlySet<string> = new Set(['prompt', 'text', 'name']);

interface Scrubbed {
  readonly replies: number;
  readonly calls: number;
  readonly mentions: number;
}

/** Takes the subject out of the jobs of others, which go on. */
export async function scrubJobs(db: Queries, subject: Subject): Promise<Scrubbed> {
  let [replies, calls, mentions] = [0, 0, 0];
  for (const { id: jobId, data } of await touchedJobs(db, subject).execute()) {
    const own = subject.kind === 'user' ? await eraseReplies(db, jobId, subject.id) : 0;
    replies += own;
    // An edit, or a second try, leaves the words of a reply in other calls than the one that took it.
    if (own > 0) calls += await eraseWords(db, jobId);
    mentions += await eraseMentions(db, subject, jobId, data);
  }
  return { replies, calls, mentions };
}

/** Empties the person's replies; that they were there is kept, so that none is taken in again. */
async function eraseReplies(db: Queries, jobId: string, userId: string): Promise<number> {
  const rows = await db
    .selectFrom('follow_up')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('user_id', '=', userId)
    .execute();
  for (const row of rows) {
    const emptied = keptOut(followUpFromRow(row), 'kept_out');
    const state = row.state === 'sent' ? 'sent' : emptied.state;
    await db
      .updateTable('follow_up')
      .set({ user_id: FORGOTTEN, text: emptied.text, state, more: toJson(followUpMore(emptied)) })
      .where('id', '=', row.id)
      .execute();
  }
  return rows.length;
}

/** The words in the calls of a job that have an outcome, but for its first prompt, which is its requester's. */
async function eraseWords(db: Queries, jobId: string): Promise<number> {
  const rows = await db
    .selectFrom('call')
    .select(['id', 'request'])
    .where('job_id', '=', jobId)
    .where('kind', '!=', 'create_job')
    .where('ended_at', 'is not', null)
    .execute();
  let erased = 0;
  for (const { id, request } of rows) {
    const without = toJson(withoutWords(requestFromJson(request)));
    if (without === request) continue;
    await db.updateTable('call').set({ request: without }).where('id', '=', id).execute();
    erased += 1;
  }
  return erased;
}

function withoutWords(request: CallRequest): CallRequest {
  return JSON.parse(JSON.stringify(request), (key, value) =>
    WORDS.has(key) && typeof value === 'string' ? ERASED : value,
  );
}

async function eraseMentions(db: Queries, subject: Subject, jobId: string, data: string): Promise<number> {
  const { id } = subject;
  let mentions = 0;
  if (isNamed(data, subject)) {
    await db
      .updateTable('job')
      .set({ data: withoutName(data, id) })
      .where('id', '=', jobId)
      .execute();
    mentions += 1;
  }
  const replies = await db
    .selectFrom('follow_up')
    .select(['id', 'text', 'more'])
    .where('job_id', '=', jobId)
    .execute();
  for (const { id: replyId, text, more } of replies) {
    if (!isNamed(text, subject) && !isNamed(more, subject)) continue;
    await db
      .updateTable('follow_up')
      .set({ text: withoutName(text, id), more: withoutName(more, id) })
      .where('id', '=', replyId)
      .execute();
    mentions += 1;
  }
  const calls = await db
    .selectFrom('call')
    .select(['id', 'natural_key', 'lane', 'request', 'detail'])
    .where('job_id', '=', jobId)
    .execute();
  for (const { id: callId, ...texts } of calls) {
    const { natural_key: key, lane, request, detail } = texts;
    if (!isNamed(Object.values(texts).join('\n'), subject)) continue;
    await db
      .updateTable('call')
      .set({
        // Two channels that are forgotten must not get the same key.
        natural_key: isNamed(key, subject) ? `${FORGOTTEN}:${callId}` : key,
        lane: withoutName(lane, id),
        request: withoutName(request, id),
        detail: detail === null ? null : withoutName(detail, id),
      })
      .where('id', '=', callId)
      .execute();
    mentions += 1;
  }
  return mentions;
}

/** Takes the subject out of others' replies that wait for a card. Returns how many name it. */
export async function scrubEarlyReplies(db: Queries, subject: Subject): Promise<number> {
  const { id, teamId } = subject;
  const rows = await db
    .selectFrom('early_reply')
    .select(['team_id', 'channel_id', 'thread_ts', 'message_ts', 'text', 'more'])
    .where((eb) => eb.or([eb('text', 'like', `%${id}%`), eb('more', 'like', `%${id}%`)]))
    .$if(teamId !== null, (query) => query.where('team_id', '=', teamId ?? ''))
    .forUpdate()
    .execute();
  const naming = rows.filter(({ text, more }) => isNamed(text, subject) || isNamed(more, subject));
  for (const { text, more, ...key } of naming) {
    await db
      .updateTable('early_reply')
      .set({ text: withoutName(text, id), more: withoutName(more, id) })
      .where((eb) => eb.and(key))
      .execute();
  }
  return naming.length;
}
