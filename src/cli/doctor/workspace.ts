import type { WorkspaceSettings } from '../../app/config/workspaces.ts';
import { Inspection, type InspectionOptions } from '../../slack/workspace/inspection.ts';
import type { NoticeFacts } from '../../store/inspect/facts.ts';
import type { Finding } from './finding.ts';
import { noticeFindings, userGroupFindings } from './places.ts';
import { tokenFindings } from './slack.ts';

/** A workspace, or an organisation, in which the app is installed. */
export interface Examinee {
  /** Its id; null: there is only one, which the token tells. */
  readonly id: string | null;
  readonly token: string;
  readonly howToRenew: string;
  readonly settingsOf: readonly SetUp[];
}

/** A workspace that is set up. */
export interface SetUp {
  /** Null: there is only one, which the token tells. */
  readonly id: string | null;
  readonly settings: WorkspaceSettings;
}

export interface WorkspaceFindings {
  readonly findings: readonly Finding[];
  /** See `clockAheadMs`. */
  readonly clockAheadMs: number | null;
}

export async function lookAtWorkspace(
  { id, token, howToRenew, settingsOf }: Examinee,
  notices: NoticeFacts,
  options: InspectionOptions,
): Promise<WorkspaceFindings> {
  const inspection = new Inspection(token, options);
  const needsUserGroups = settingsOf.some(({ settings }) => settings.access.userGroups.size > 0);
  const { facts, findings } = await tokenFindings(inspection, { id, needsUserGroups, howToRenew });
  // Without a token that Slack accepts, no more can be said.
  if (facts === null) return { findings, clockAheadMs: null };
  const { teamId, clockAheadMs } = facts;
  const places = await Promise.all(
    settingsOf.flatMap(({ id: workspace, settings }) => [
      noticeFindings(inspection, { id: workspace, settings, teamId: workspace ?? teamId, notices }),
      userGroupFindings(inspection, workspace, settings, workspace === id ? null : workspace),
    ]),
  );
  return { findings: [...findings, ...places.flat()], clockAheadMs };
}
