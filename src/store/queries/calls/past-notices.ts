import { createHash } from 'node:crypto';
import { FORGOTTEN } from '../../forget/subject.ts';
import { fromJson, type Queries } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';

type ChannelKey = { readonly teamId: string; readonly channelId: string };

const dropIfPast = prepared(
  (db, { callId, teamId, channelId, digest }: Values<ChannelKey & { callId: string; digest: string }>) =>
    db
      .deleteFrom('call')
      .where('id', '=', callId)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('past_notice')
            .select('digest')
            .where('channel_id', '=', channelId)
            .where('team_id', '=', teamId)
            .where('digest', '=', digest),
        ),
      ),
);

/** Remembers the notices of jobs that are about to be deleted. */
export async function keepNotices(db: Queries, jobIds: readonly string[]): Promise<void> {
  const notices = await db
    .selectFrom('call')
    .innerJoin('job', 'job.id', 'call.job_id')
    .select(['call.natural_key', 'call.request', 'job.team_id'])
    .where('call.job_id', 'in', jobIds)
    .where('call.kind', '=', 'notify_channel')
    .execute();
  const past = notices.flatMap(({ natural_key, request, team_id }) => {
    const notice = fromJson(request);
    if (notice.kind !== 'notify_channel' || notice.channelId === FORGOTTEN) return [];
    return [{ team_id, channel_id: notice.channelId, digest: digestOf(natural_key) }];
  });
  if (past.length === 0) return;
  await db
    .insertInto('past_notice')
    .values(past)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a new notice if a deleted job has already made it. `key`: as the ledger stores it. */
export async function dropPastNotice(
  db: Queries,
  callId: string,
  place: ChannelKey,
  key: string,
): Promise<void> {
  await dropIfPast.change(db, { callId, ...place, digest: digestOf(key) });
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
