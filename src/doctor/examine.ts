import type { Config } from '../config.ts';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import { Inspection, type InspectionOptions } from '../slack/inspection.ts';
import type { NoticeFacts, StoreFacts } from '../store/inspect/facts.ts';
import { inspectStore } from '../store/inspect/inspect.ts';
import { agentFindings } from './agent.ts';
import { clockFindings } from './clocks.ts';
import type { Finding } from './finding.ts';
import { noticeFindings, userGroupFindings } from './places.ts';
import { settingsInOrder } from './settings.ts';
import { connectionFinding, tokenFindings } from './slack.ts';
import { storeFailure, storeFindings } from './store.ts';

const RENEW_BOT_TOKEN =
  'Install the app again ("Install App"), and set SLACK_BOT_TOKEN to its Bot User OAuth Token (xoxb-…).';

const NO_NOTICES: NoticeFacts = { saved: [], refused: [] };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Tools {
  readonly clock: Clock;
  /** For each question to Slack and to the agent API. */
  readonly timeoutMs: number;
}

/** Looks at everything that the program needs, side by side, and changes nothing. */
export async function examine(config: Config, { clock, timeoutMs }: Tools): Promise<Finding[]> {
  const options = { apiUrl: config.slack.apiUrl, timeoutMs, clock, log: silent };
  const store = lookAtStore(config, clock.now());
  const [ofStore, workspace, connection, ofAgent] = await Promise.all([
    store,
    lookAtWorkspace(
      config,
      store.then(({ facts }) => facts?.notices ?? NO_NOTICES),
      options,
    ),
    connectionFinding(config.slack.transport, config.http, options),
    agentFindings(config, timeoutMs),
  ]);
  const aheadMs = { slack: workspace.clockAheadMs, agentApi: ofAgent.clockAheadMs };
  return [
    settingsInOrder(config),
    ...ofStore.findings,
    connection,
    ...workspace.findings,
    ...ofAgent.findings,
    ...clockFindings(aheadMs, config.store.kind === 'postgres'),
  ];
}

async function lookAtStore(
  { store }: Config,
  nowMs: number,
): Promise<{ readonly facts: StoreFacts | null; readonly findings: readonly Finding[] }> {
  try {
    const facts = await inspectStore(store, nowMs);
    return { facts, findings: storeFindings(facts) };
  } catch (error) {
    return { facts: null, findings: storeFailure(error) };
  }
}

interface WorkspaceFindings {
  readonly findings: readonly Finding[];
  readonly clockAheadMs: number | null;
}

async function lookAtWorkspace(
  config: Config,
  notices: Promise<NoticeFacts>,
  options: InspectionOptions,
): Promise<WorkspaceFindings> {
  const { installing } = config.slack;
  if (installing.kind === 'oauth') return { findings: [], clockAheadMs: null };
  const inspection = new Inspection(installing.botToken, options);
  const needsUserGroups = config.access.userGroups.size > 0;
  const { facts, findings } = await tokenFindings(inspection, needsUserGroups, RENEW_BOT_TOKEN);
  // Without a token that Slack accepts, no more can be said.
  if (facts === null) return { findings, clockAheadMs: null };
  const places = await Promise.all([
    noticeFindings(inspection, config, facts.teamId, await notices),
    userGroupFindings(inspection, config),
  ]);
  return { findings: [...findings, ...places.flat()], clockAheadMs: facts.clockAheadMs };
}
