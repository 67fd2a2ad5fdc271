import type { StoredInstallation } from '../../store/queries/installations.ts';
import {
  createWorkspace,
  type Workspace,
  type WorkspaceParts,
  type WorkspaceSettings,
  type Workspaces,
} from '../workspace/workspace.ts';
import type { BotTokens } from './bot-tokens.ts';
import type { Directory } from './directory.ts';
import { requestTeam } from './request-team.ts';

const MAX_WORKSPACES = 5_000;

interface Known {
  readonly installation: StoredInstallation | null;
  readonly workspace: Workspace;
}

/** The workspaces that have installed the app. */
export class InstalledWorkspaces implements Workspaces {
  private readonly parts: WorkspaceParts;
  private readonly directory: Directory;
  private readonly tokens: BotTokens;
  private readonly settingsOf: (teamId: string) => WorkspaceSettings | null;
  private readonly known = new Map<string, Known>();

  /** `settingsOf`: null of a workspace that the operator has not set up. */
  constructor(
    parts: WorkspaceParts,
    directory: Directory,
    tokens: BotTokens,
    settingsOf: (teamId: string) => WorkspaceSettings | null,
  ) {
    this.parts = parts;
    this.directory = directory;
    this.tokens = tokens;
    this.settingsOf = settingsOf;
  }

  async of(teamId: string): Promise<Workspace> {
    return this.workspace(teamId, await this.directory.find(teamId));
  }

  async ofRequest(body: unknown): Promise<Workspace> {
    const team = requestTeam(body);
    return team === null
      ? this.workspace('', null)
      : this.workspace(team.teamId, await this.directory.findFor(team));
  }

  /** The same object as long as it is the same installation: it knows people, and what Slack limits. */
  private workspace(teamId: string, installation: StoredInstallation | null): Workspace {
    const known = this.known.get(teamId);
    if (known !== undefined && isSame(known.installation, installation)) return known.workspace;
    const workspace = createWorkspace(
      this.parts,
      identityOf(teamId, installation),
      () => this.tokens.of(teamId),
      this.settingsOf(teamId),
    );
    this.known.delete(teamId);
    const [oldest] = this.known.keys();
    if (this.known.size >= MAX_WORKSPACES && oldest !== undefined) this.known.delete(oldest);
    this.known.set(teamId, { installation, workspace });
    return workspace;
  }
}

function isSame(one: StoredInstallation | null, other: StoredInstallation | null): boolean {
  return one?.id === other?.id && one?.installedAtMs === other?.installedAtMs;
}

function identityOf(teamId: string, installation: StoredInstallation | null) {
  return {
    teamId,
    isInstalled: installation !== null,
    botUserId: installation?.botUserId ?? '',
    botId: installation?.botId ?? '',
    enterpriseId: installation?.enterpriseId ?? null,
    workspaceUrl: installation?.workspaceUrl ?? null,
  };
}
