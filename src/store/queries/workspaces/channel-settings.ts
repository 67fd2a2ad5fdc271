import type { Decision } from '../../../jobs/decision.ts';
import type { ChannelSettings } from '../../../jobs/policy.ts';
import { changesHome, HOME_SPACING_MS, mayBeSeen } from '../../../jobs/shown/lists.ts';
import { fromJson, toJson } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';
import { Table } from '../table.ts';

export interface SavedSettings {
  readonly settings: ChannelSettings;
  readonly changedBy: string;
  readonly changedAtMs: number;
}

const NEVER_MS = 0;

const settingsOf = prepared((db, { teamId, channelId }: Values<{ teamId: string; channelId: string }>) =>
  db
    .selectFrom('channel_setting')
    .select(['data', 'changed_by', 'changed_at'])
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId),
);

export class ChannelSettingsTable extends Table {
  async get(teamId: string, channelId: string): Promise<SavedSettings | null> {
    const row = await settingsOf.first(this.db, { teamId, channelId });
    if (row === undefined || row.changed_at === NEVER_MS) return null;
    return { settings: fromJson(row.data), changedBy: row.changed_by, changedAtMs: row.changed_at };
  }

  /** All that are saved for channels of the workspace. */
  async noticeChannels(teamId: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('channel_setting')
      .select('data')
      .where('team_id', '=', teamId)
      .orderBy('channel_id')
      .execute();
    return rows.flatMap(({ data }) => fromJson<ChannelSettings>(data).noticeChannels ?? []);
  }

  /** Replaces the saved settings, and returns the previous ones. */
  async replace(teamId: string, channelId: string, saved: SavedSettings): Promise<SavedSettings | null> {
    // Locks the row, even a new one: a second writer waits here.
    await this.db
      .insertInto('channel_setting')
      .values({ team_id: teamId, channel_id: channelId, data: '{}', changed_by: '', changed_at: NEVER_MS })
      .onConflict((conflict) =>
        conflict.columns(['team_id', 'channel_id']).doUpdateSet({ channel_id: channelId }),
      )
      .execute();
    const before = await this.get(teamId, channelId);
    await this.db
      .updateTable('channel_setting')
      .set({ data: toJson(saved.settings), changed_by: saved.changedBy, changed_at: saved.changedAtMs })
      .where((eb) => eb.and({ team_id: teamId, channel_id: channelId }))
      .execute();
    return before;
  }
}

const SEPARATOR = ':';

const homeOf = prepared((db, { teamId, userId }: Values<{ teamId: string; userId: string }>) =>
  db.selectFrom('home').select('opened_at').where('team_id', '=', teamId).where('user_id', '=', userId),
);

/** The owner of the home of a `refresh_home` task. */
export function ownerOfHome(subject: string): { readonly teamId: string; readonly userId: string } {
  const [teamId = '', userId = ''] = subject.split(SEPARATOR);
  return { teamId, userId };
}

export class Homes extends Table {
  /** Refreshes it now, and for an hour whenever a job of the person changes. */
  async opened(teamId: string, userId: string, nowMs: number): Promise<void> {
    await this.db
      .insertInto('home')
      .values({ team_id: teamId, user_id: userId, opened_at: nowMs })
      .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet({ opened_at: nowMs }))
      .execute();
    await this.refresh(teamId, userId, nowMs, 'replace');
  }

  /** Refreshes the requester's home if it shows the change and may be open. */
  async follow(decision: Decision, nowMs: number): Promise<void> {
    if (!changesHome(decision, nowMs)) return;
    const { teamId, requesterId: userId } = decision.job;
    if (userId === null) return;
    const home = await homeOf.first(this.db, { teamId, userId });
    if (home === undefined || !mayBeSeen(home.opened_at, nowMs)) return;
    await this.refresh(teamId, userId, nowMs + HOME_SPACING_MS, 'keep');
  }

  private refresh(
    teamId: string,
    userId: string,
    runAtMs: number,
    ifScheduled: 'keep' | 'replace',
  ): Promise<void> {
    const subject = teamId + SEPARATOR + userId;
    return this.tasks.schedule({ kind: 'refresh_home', subject, runAtMs, ifScheduled });
  }
}
