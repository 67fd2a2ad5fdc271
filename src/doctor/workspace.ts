import type { WorkspaceSettings } from '../config/workspaces.ts';
import { Inspection, type InspectionOptions } from '../slack/inspection.ts';
import type { NoticeFacts } from '../store/inspect/facts.ts';
import type { Finding } from './finding.ts';
import { noticeFindings, userGroupFindings } from './places.ts';
import { tokenFindings } from './slack.ts';

/** A workspace, or an organisation, in which the app is installed. */
export interface Examinee {
  /** Its id; null: there is only one, which the token tells. */
  readonly id: string | null;
  readonly token: string;
  readonly howToRenew: string;
  /** Null: its settings are those of its workspaces, or there are none. */
  readonly settings: WorkspaceSettings | null;
}

export interface WorkspaceFindings {
  readonly findings: readonly Finding[];
  /** See `clockAheadMs`. */
  readonly clockAheadMs: number | null;
}

export async function lookAtWorkspace(
  { id, token, howToRenew, settings }: Examinee,
  notices: NoticeFacts,
  options: InspectionOptions,
): Promise<WorkspaceFindings> {
  const inspection = new Inspection(token, options);
  const needsUserGroups = settings !== null && settings.access.userGroups.size > 0;
  const { facts, findings } = await tokenFindings(inspection, { id, needsUserGroups, howToRenew });
  // Without a token that Slack accepts, no more can be said.
  if (facts === null) return { findings, clockAheadMs: null };
  const { teamId, clockAheadMs } = facts;
  if (settings === null) return { findings, clockAheadMs };
  const places = await Promise.all([
    noticeFindings(inspection, { id, settings, teamId, notices }),
    userGroupFindings(inspection, id, settings),
  ]);
  return { findings: [...findings, ...places.flat()], clockAheadMs };
}
