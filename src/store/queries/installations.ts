import type { Queries, Tables } from '../schema/tables.ts';

/** The app in a workspace, or in all workspaces of an organisation, with its tokens as they are stored. */
export interface StoredInstallation extends InstallationFacts {
  readonly tokens: SealedTokens;
  /** Changes with whatever is written. */
  readonly revision: number;
  /** Somebody renews the token, until then at most. */
  readonly renewingUntilMs: number | null;
  /** Why the token cannot be renewed any more, in Slack's word. */
  readonly renewalProblem: string | null;
}

export interface InstallationFacts {
  /** Of the workspace (T…), or of the organisation (E…). */
  readonly id: string;
  readonly isOrganisation: boolean;
  readonly enterpriseId: string | null;
  readonly botUserId: string;
  readonly botId: string;
  readonly workspaceUrl: string | null;
  readonly scopes: readonly string[];
  /** The person who installed it. */
  readonly installerId: string;
  readonly installedAtMs: number;
}

/** Encrypted, each for itself. */
export interface SealedTokens {
  readonly keyId: string;
  readonly botToken: string;
  /** Null if the token does not expire. */
  readonly refreshToken: string | null;
  readonly expiresAtMs: number | null;
}

export interface Renewal {
  readonly id: string;
  /** Made anew for each. */
  readonly token: string;
}

const noRenewal = { renewal: null, renewing_until: null, renewal_problem: null };

/** The workspaces and organisations in which the app is installed. */
export class Installations {
  private readonly db: Queries;

  constructor(db: Queries) {
    this.db = db;
  }

  async get(id: string): Promise<StoredInstallation | null> {
    const row = await this.db.selectFrom('installation').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : fromRow(row);
  }

  /** By their ids. */
  async all(): Promise<StoredInstallation[]> {
    const rows = await this.db.selectFrom('installation').selectAll().orderBy('id').execute();
    return rows.map(fromRow);
  }

  /** In place of what was there of the same id; a renewal that is under way comes to nothing. */
  async put({ id, ...facts }: InstallationFacts, tokens: SealedTokens): Promise<void> {
    const row = { ...factColumns(facts), ...tokenColumns(tokens), ...noRenewal };
    await this.db
      .insertInto('installation')
      // Different from that of an earlier installation, which it must not be taken for.
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

  /** The same tokens under another key. False if the row has changed. */
  async reseal(id: string, revision: number, tokens: SealedTokens): Promise<boolean> {
    const { numUpdatedRows } = await this.changed(id)
      .set(tokenColumns(tokens))
      .where('revision', '=', revision)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Takes the renewal of the token for this time. False if another has it, or the row has changed. */
  async startRenewal({ id, token }: Renewal, revision: number, nowMs: number, untilMs: number) {
    const { numUpdatedRows } = await this.changed(id)
      .set({ renewal: token, renewing_until: untilMs })
      .where('revision', '=', revision)
      .where((eb) => eb.or([eb('renewing_until', 'is', null), eb('renewing_until', '<=', nowMs)]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The new tokens, or why there are none for good. False if the renewal was lost to another. */
  async endRenewal({ id, token }: Renewal, result: SealedTokens | { readonly problem: string }) {
    const { numUpdatedRows } = await this.changed(id)
      .set(
        'problem' in result
          ? { ...noRenewal, renewal_problem: result.problem }
          : { ...noRenewal, ...tokenColumns(result) },
      )
      .where('renewal', '=', token)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The organisation whose installation serves the workspace, as far as one was remembered. */
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

  private changed(id: string) {
    return this.db
      .updateTable('installation')
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('id', '=', id);
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

function tokenColumns({ keyId, botToken, refreshToken, expiresAtMs }: SealedTokens) {
  return { key_id: keyId, bot_token: botToken, refresh_token: refreshToken, expires_at: expiresAtMs };
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
    tokens: {
      keyId: row.key_id,
      botToken: row.bot_token,
      refreshToken: row.refresh_token,
      expiresAtMs: row.expires_at,
    },
    revision: row.revision,
    renewingUntilMs: row.renewing_until,
    renewalProblem: row.renewal_problem,
  };
}
