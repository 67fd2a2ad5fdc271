import type { Decision } from '../../../jobs/decision.ts';
import type { ChannelSettings } from '../../../jobs/policy.ts';
import { changesHome, HOME_SPACING_MS, mayBeSeen } from '../../../jobs/shown/lists.ts';
import { fromJson, toJson } from '../../schema/tables.ts';
import { Table } from '../table.ts';
import { subjectIn } from '../tasks/task.ts';

export type SavedSettings = Readonly<{
  settings: ChannelSettings;
  changedBy: string;
  changedAtMs: number;
}>;

const NEVER_MS = 0;

export class ChannelSettingsTable extends Table {
  async get(teamId: string, channelId: string): Promise<SavedSettings | null> {
    const row = await this.row('channelSetting', { teamId, channelId });
    if (row === undefined || row.changedAt === NEVER_MS) return null;
    return { settings: fromJson(row.data), changedBy: row.changedBy, changedAtMs: row.changedAt };
  }

  async noticeChannels(teamId: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('channelSetting')
      .select('data')
      .where('teamId', '=', teamId)
      .orderBy('channelId')
      .execute();
    return rows.flatMap(({ data }) => fromJson<ChannelSettings>(data).noticeChannels ?? []);
  }

  async replace(teamId: string, channelId: string, saved: SavedSettings): Promise<SavedSettings | null> {
    // Locks the row, even a new one: a second writer waits here.
    const none = { data: '{}', changedBy: '', changedAt: NEVER_MS };
    await this.upsert('channelSetting', { teamId, channelId }, none, { channelId });
    const before = await this.get(teamId, channelId);
    await this.db
      .updateTable('channelSetting')
      .set({ data: toJson(saved.settings), changedBy: saved.changedBy, changedAt: saved.changedAtMs })
      .where((eb) => eb.and({ teamId, channelId }))
      .execute();
    return before;
  }
}

export class Homes extends Table {
  /** Refreshes it now, and for an hour whenever a job of the person changes. */
  async opened(teamId: string, userId: string, nowMs: number): Promise<void> {
    await this.upsert('home', { teamId, userId }, { openedAt: nowMs });
    await this.refresh(teamId, userId, nowMs, 'replace');
  }

  /** Refreshes the requester's home if it shows the change and may be open. */
  async follow(decision: Decision, nowMs: number): Promise<void> {
    if (!changesHome(decision, nowMs)) return;
    const { teamId, requesterId: userId } = decision.job;
    if (userId === null) return;
    const home = await this.row('home', { teamId, userId });
    if (home === undefined || !mayBeSeen(home.openedAt, nowMs)) return;
    await this.refresh(teamId, userId, nowMs + HOME_SPACING_MS, 'keep');
  }

  private refresh(
    teamId: string,
    userId: string,
    runAtMs: number,
    ifScheduled: 'keep' | 'replace',
  ): Promise<void> {
    const subject = subjectIn(teamId, userId);
    return this.tasks.schedule({ kind: 'refresh_home', subject, runAtMs, ifScheduled });
  }
}
