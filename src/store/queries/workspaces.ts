import type { Decision } from '#jobs/decide/decision-builder.ts';
import type { ChannelSettings } from '#jobs/policy.ts';
import { fromJson, type Tables, toJson } from '../schema/tables.ts';
import { Table } from './table.ts';
import { subjectIn } from './task.ts';

export class ChannelSettingsTable extends Table {
  async get(teamId: string, channelId: string): Promise<ChannelSettings | null> {
    const row = await this.row('channelSetting', { teamId, channelId });
    return row === undefined ? null : fromJson(row.data);
  }

  async noticeChannels(teamId: string): Promise<string[]> {
    const rows = await this.rows('channelSetting', { teamId }).orderBy('channelId').execute();
    return rows.flatMap(({ data }) => fromJson(data).noticeChannels ?? []);
  }

  async replace(teamId: string, channelId: string, settings: ChannelSettings): Promise<void> {
    await this.upsert('channelSetting', { teamId, channelId }, { data: toJson(settings) });
  }
}

/** A Home tab may stay visible this long. */
const LOOKS_FOR_MS = 3_600_000;
const HOME_SPACING_MS = 3_000;

export class Homes extends Table {
  async opened(teamId: string, userId: string, nowMs: number): Promise<void> {
    await this.upsert('home', { teamId, userId }, { openedAt: nowMs });
    await this.refresh(subjectIn(teamId, userId), nowMs, 'replace');
  }

  async follow(decision: Decision, nowMs: number): Promise<void> {
    const { teamId, requesterId: userId } = decision.job;
    if (userId === null || !changesHome(decision, nowMs)) return;
    const home = await this.row('home', { teamId, userId });
    if (home === undefined || !mayBeSeen(home.openedAt, nowMs)) return;
    await this.refresh(subjectIn(teamId, userId), nowMs + HOME_SPACING_MS, 'keep');
  }

  private refresh(subject: string, runAtMs: number, ifScheduled: 'keep' | 'replace') {
    return this.tasks.schedule({ kind: 'refresh_home', subject, runAtMs, ifScheduled });
  }
}

function changesHome({ calls, tasks, notices }: Decision, nowMs: number): boolean {
  if (calls.length > 0 || notices !== undefined) return true;
  return tasks.some(({ kind, runAtMs }) => kind === 'refresh_card' && runAtMs <= nowMs);
}

function mayBeSeen(openedAtMs: number, nowMs: number): boolean {
  return openedAtMs > nowMs - LOOKS_FOR_MS;
}

type Row = Tables['installation'];

export type StoredInstallation = Readonly<ReturnType<typeof installationFrom>>;

export type SealedToken = Readonly<Pick<Row, 'keyId' | 'botToken'>>;

export class Installations extends Table {
  async get(id: string): Promise<StoredInstallation | null> {
    const row = await this.row('installation', { id });
    return row === undefined ? null : installationFrom(row);
  }

  async all(): Promise<StoredInstallation[]> {
    const rows = await this.db.selectFrom('installation').selectAll().orderBy('id').execute();
    return rows.map(installationFrom);
  }

  async put(installation: StoredInstallation): Promise<void> {
    const { id, isOrganisation, scopes, installedAtMs: installedAt, token, ...facts } = installation;
    const row = {
      ...facts,
      ...token,
      isOrganisation: isOrganisation ? 1 : 0,
      scopes: scopes.join(','),
      installedAt,
    };
    await this.upsert('installation', { id }, row);
  }

  /** False: the row has changed. Each sealed token differs from all others. */
  remove({ id, token }: Pick<StoredInstallation, 'id' | 'token'>): Promise<boolean> {
    return this.delete('installation', { id, botToken: token.botToken });
  }

  /** As `remove`. */
  reseal({ id, token }: Pick<StoredInstallation, 'id' | 'token'>, sealed: SealedToken): Promise<boolean> {
    return this.update('installation', { id, botToken: token.botToken }, sealed);
  }

  async organisationOf(teamId: string): Promise<string | null> {
    return (await this.row('organisationTeam', { teamId }))?.enterpriseId ?? null;
  }

  async rememberOrganisation(teamId: string, enterpriseId: string): Promise<void> {
    await this.upsert('organisationTeam', { teamId }, { enterpriseId });
  }
}

function installationFrom(row: Row) {
  const { isOrganisation, scopes, installedAt: installedAtMs, keyId, botToken, ...columns } = row;
  const granted: readonly string[] = scopes === '' ? [] : scopes.split(',');
  const token = { keyId, botToken };
  return { ...columns, isOrganisation: isOrganisation === 1, scopes: granted, installedAtMs, token };
}
