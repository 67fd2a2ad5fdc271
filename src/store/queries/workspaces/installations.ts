import type { Tables } from '../../schema/tables.ts';
import { Table } from '../table.ts';

/** The app in a workspace, or in all workspaces of an organisation, with its sealed token. */
export type StoredInstallation = InstallationFacts &
  Readonly<{
    token: SealedToken;
    /** Changes with every write. */
    revision: number;
  }>;

export type InstallationFacts = Readonly<{
  /** The id of the workspace (T…) or organisation (E…). */
  id: string;
  isOrganisation: boolean;
  enterpriseId: string | null;
  botUserId: string;
  botId: string;
  workspaceUrl: string | null;
  scopes: readonly string[];
  installerId: string;
  installedAtMs: number;
}>;

/** Encrypted with the key. */
export type SealedToken = Readonly<{
  keyId: string;
  botToken: string;
}>;

export class Installations extends Table {
  async get(id: string): Promise<StoredInstallation | null> {
    const row = await this.row('installation', { id });
    return row === undefined ? null : fromRow(row);
  }

  async all(): Promise<StoredInstallation[]> {
    const rows = await this.db.selectFrom('installation').selectAll().orderBy('id').execute();
    return rows.map(fromRow);
  }

  async put(
    { id, isOrganisation, scopes, installedAtMs: installedAt, ...facts }: InstallationFacts,
    token: SealedToken,
  ): Promise<void> {
    const row = {
      ...facts,
      ...token,
      isOrganisation: isOrganisation ? 1 : 0,
      scopes: scopes.join(','),
      installedAt,
    };
    await this.db
      .insertInto('installation')
      // Must differ from the revision of an earlier installation.
      .values({ id, ...row, revision: installedAt })
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
  async reseal(id: string, revision: number, { keyId, botToken }: SealedToken): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('installation')
      .set((eb) => ({ keyId, botToken, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async organisationOf(teamId: string): Promise<string | null> {
    return (await this.row('organisationTeam', { teamId }))?.enterpriseId ?? null;
  }

  async rememberOrganisation(teamId: string, enterpriseId: string): Promise<void> {
    await this.upsert('organisationTeam', { teamId }, { enterpriseId });
  }
}

function fromRow({
  isOrganisation,
  scopes,
  installedAt: installedAtMs,
  keyId,
  botToken,
  ...row
}: Tables['installation']): StoredInstallation {
  return {
    ...row,
    isOrganisation: isOrganisation === 1,
    scopes: scopes === '' ? [] : scopes.split(','),
    installedAtMs,
    token: { keyId, botToken },
  };
}
