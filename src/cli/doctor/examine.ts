import type { Config } from '../../app/config/config.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/logger.ts';
import type { InspectionOptions } from '../../slack/workspace/inspection.ts';
import type { NoticeFacts, StoreFacts } from '../../store/inspect/facts.ts';
import { inspectStore } from '../../store/inspect/inspect.ts';
import { agentFindings } from './agent.ts';
import { writingFindings } from './agent-writing.ts';
import { clockFindings } from './clocks.ts';
import type { Finding } from './finding.ts';
import { installed } from './installations.ts';
import { listeningFindings } from './listening.ts';
import { ignoredFindings, settingsInOrder } from './settings.ts';
import { connectionFinding } from './slack.ts';
import { storeFailure, storeFindings } from './store.ts';
import { lookAtWorkspace, type WorkspaceFindings } from './workspace.ts';

const RENEW_BOT_TOKEN =
  'Install the app again ("Install App"), and set SLACK_BOT_TOKEN to its Bot User OAuth Token (xoxb-…).';

const NO_NOTICES: NoticeFacts = { saved: [], refused: [] };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Tools {
  readonly clock: Clock;
  /** For each question to Slack and to the agent API. */
  readonly timeoutMs: number;
  /** Whether the agent API is asked to take an empty request. Default: no. */
  readonly probeWrite?: boolean;
}

/** Looks at everything that the program needs, side by side, and changes nothing. */
export async function examine(
  config: Config,
  { clock, timeoutMs, probeWrite = false }: Tools,
): Promise<Finding[]> {
  const options = { apiUrl: config.slack.apiUrl, timeoutMs, clock, log: silent };
  const store = lookAtStore(config, clock.now());
  const [ofStore, ofSlack, connection, ofAgent, writing, listening] = await Promise.all([
    store,
    store.then(({ facts }) => lookAtSlack(config, facts, options)),
    connectionFinding(config.slack, config.http, options),
    agentFindings(config, timeoutMs),
    store.then(({ facts }) => writingFindings(config, facts?.agentRefusals ?? [], { timeoutMs, probeWrite })),
    listeningFindings(config, timeoutMs),
  ]);
  const aheadMs = { slack: ofSlack.clockAheadMs, agentApi: ofAgent.clockAheadMs };
  return [
    settingsInOrder(config),
    ...ignoredFindings(config),
    ...ofStore.findings,
    ...listening,
    connection,
    ...ofSlack.findings,
    ...ofAgent.findings,
    ...writing,
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

/** Each workspace; `facts`: null if the store could not be read. */
async function lookAtSlack(
  config: Config,
  facts: StoreFacts | null,
  options: InspectionOptions,
): Promise<WorkspaceFindings> {
  const { examinees, findings } = examineesOf(config, facts, options.clock.now());
  const notices = facts?.notices ?? NO_NOTICES;
  const looks = await Promise.all(examinees.map((one) => lookAtWorkspace(one, notices, options)));
  return {
    findings: [...findings, ...looks.flatMap((look) => look.findings)],
    clockAheadMs: looks.find(({ clockAheadMs }) => clockAheadMs !== null)?.clockAheadMs ?? null,
  };
}

function examineesOf(config: Config, facts: StoreFacts | null, nowMs: number): ReturnType<typeof installed> {
  const { installing } = config.slack;
  if (installing.kind === 'by_hand') {
    const settingsOf = [{ id: null, settings: config }];
    const only = { id: null, token: installing.botToken, howToRenew: RENEW_BOT_TOKEN, settingsOf };
    return { examinees: [only], findings: [] };
  }
  // Without the store, nothing is known of them.
  return facts === null ? { examinees: [], findings: [] } : installed(config, installing, facts, nowMs);
}
