import type { Database } from '../database.ts';
import { requestFromJson, settingsFromJson } from '../json.ts';
import { type SchemaState, schemaState } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import type { Queries } from '../tables.ts';
import type { NoticeFacts, RefusedNotice } from './facts.ts';

/** How far back refused notices are of interest. */
const NOTICES_MS = 7 * 86_400_000;

const NO_NOTICES: NoticeFacts = { savedChannels: [], refused: [] };

/** Reads, and changes nothing. A schema of another version is not read. */
export async function readFacts(
  { queries, sequenceType }: Pick<Database, 'queries' | 'sequenceType'>,
  nowMs: number,
): Promise<{ readonly schema: SchemaState; readonly notices: NoticeFacts }> {
  const schema = await schemaState(queries, migrations(sequenceType));
  const isCurrent = schema.missing.length === 0 && schema.unknown.length === 0;
  return { schema, notices: isCurrent ? await noticeFacts(queries, nowMs - NOTICES_MS) : NO_NOTICES };
}

async function noticeFacts(db: Queries, sinceMs: number): Promise<NoticeFacts> {
  const saved = await db.selectFrom('channel_setting').select('data').execute();
  const channels = saved.flatMap(({ data }) => settingsFromJson(data).noticeChannels ?? []);
  return { savedChannels: [...new Set(channels)], refused: await refusedNotices(db, sinceMs) };
}

async function refusedNotices(db: Queries, sinceMs: number): Promise<RefusedNotice[]> {
  const notices = await db
    .selectFrom('call')
    .select(['request', 'state', 'detail', 'ended_at'])
    .where('kind', '=', 'notify_channel')
    .where('state', 'in', ['done', 'failed'])
    .where('ended_at', '>', sinceMs)
    .orderBy('ended_at')
    .execute();
  // A channel that took one later is mended.
  const last = new Map<string, RefusedNotice | null>();
  for (const { request: json, state, detail, ended_at: atMs } of notices) {
    const request = requestFromJson(json);
    if (request.kind !== 'notify_channel') continue;
    const { channelId } = request;
    const isRefused = state === 'failed' && atMs !== null;
    last.set(channelId, isRefused ? { channelId, reason: detail ?? 'unknown', atMs } : null);
  }
  return [...last.values()].filter((refused) => refused !== null);
}
