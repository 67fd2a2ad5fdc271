import type { Tables } from '../../schema/tables.ts';
import { Table } from '../table.ts';

/** The app in a workspace, or in all workspaces of an organisation, with its sealed token. */
export interface StoredInstallation extends InstallationFacts {
  readonly token: SealedToken;
  /** Changes with every write. */
  readonly revision: number;
}

export interface InstallationFacts {
  /** The id of the workspace (T…) or organisation (E…). */
  readonly id: string;
  readonly isOrganisation: boolean;
  readonly enterpriseId: string | null;
  readonly botUserId: string;
  readonly botId: string;
  readonly workspaceUrl: string | null;
  readonly scopes: readonly string[];
  readonly installerId: string;
  readonly installedAtMs: number;
}

/** Encrypted with the key. */
export interface SealedToken {
  readonly keyId: string;
  readonly botToken: string;
}

/** The workspaces and organisations in which the app is installed. */
export class Installations extends Table {
  async get(id: string): Promise<StoredInstallation | null> {
    const row = await this.db.selectFrom('installation').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : fromRow(row);
  }

  async all(): Promise<StoredInstallation[]> {
    const rows = await this.db.selectFrom('installation').selectAll().orderBy('id').execute();
    return rows.map(fromRow);
  }

  async put({ id, ...facts }: InstallationFacts, token: SealedToken): Promise<void> {
    const row = { ...factColumns(facts), ...tokenColumns(token) };
    await this.db
      .insertInto('installation')
      // Must differ from the revision of an earlier installation.
      .values({ id, ...row, revision: facts.installedAtMs })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((eb) => ({ ...row, revision: eb('installation.revision', '+', 1) })),
      )
      .execute();
  }

  async remove(id: string, revision: number): Promise<boolean> {
    const { numDeletedRows } = await this.db
      .deleteFrom('installation')
      .where('id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Stores the same token under another key. False if the row has changed. */
  async reseal(id: string, revision: number, token: SealedToken): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('installation')
      .set((eb) => ({ ...tokenColumns(token), revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The organisation whose installation serves the workspace, if known. */
  async organisationOf(teamId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('organisation_team')
      .select('enterprise_id')
      .where('team_id', '=', teamId)
      .executeTakeFirst();
    return row?.enterprise_id ?? null;
  }

  async rememberOrganisation(teamId: string, enterpriseId: string): Promise<void> {
    await this.db
      .insertInto('organisation_team')
      .values({ team_id: teamId, enterprise_id: enterpriseId })
      .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ enterprise_id: enterpriseId }))
      .execute();
  }
}

function factColumns(facts: Omit<InstallationFacts, 'id'>) {
  return {
    is_organisation: facts.isOrganisation ? 1 : 0,
    enterprise_id: facts.enterpriseId,
    bot_user_id: facts.botUserId,
    bot_id: facts.botId,
    workspace_url: facts.workspaceUrl,
    scopes: facts.scopes.join(','),
    installer_id: facts.installerId,
    installed_at: facts.installedAtMs,
  };
}

function tokenColumns({ keyId, botToken }: SealedToken) {
  return { key_id: keyId, bot_token: botToken };
}

function fromRow(row: Tables['installation']): StoredInstallation {
  return {
    id: row.id,
    isOrganisation: row.is_organisation === 1,
    enterpriseId: row.enterprise_id,
    botUserId: row.bot_user_id,
    botId: row.bot_id,
    workspaceUrl: row.workspace_url,
    scopes: row.scopes === '' ? [] : row.scopes.split(','),
    installerId: row.installer_id,
    installedAtMs: row.installed_at,
    token: { keyId: row.key_id, botToken: row.bot_token },
    revision: row.revision,
  };
}
