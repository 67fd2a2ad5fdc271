import type { ChannelSettings } from '../../../jobs/policy.ts';
import { fromJson, Table, toJson } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';

/** What administrators saved for a channel. */
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
