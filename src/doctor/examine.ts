import type { Config } from '../config.ts';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import { Inspection, type TokenFacts } from '../slack/inspection.ts';
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

const NO_NOTICES: NoticeFacts = { savedChannels: [], refused: [] };

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
  const agent = agentFindings(config, timeoutMs);
  const inspection = new Inspection(config.slack.botToken, options);
  const [ofStore, token, connection, ofAgent] = await Promise.all([
    store,
    tokenFindings(inspection, config, RENEW_BOT_TOKEN),
    connectionFinding(config.slack.transport, config.http, options),
    agent,
  ]);
  const places = await lookAtPlaces(inspection, token.facts, config, ofStore.facts?.notices ?? NO_NOTICES);
  const aheadMs = { slack: token.facts?.clockAheadMs ?? null, agentApi: ofAgent.clockAheadMs };
  return [
    settingsInOrder(config),
    ...ofStore.findings,
    ...token.findings,
    connection,
    ...places,
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

/** Without a token that Slack accepts, nothing can be said of them. */
async function lookAtPlaces(
  inspection: Inspection,
  token: TokenFacts | null,
  config: Config,
  notices: NoticeFacts,
): Promise<Finding[]> {
  if (token === null) return [];
  const found = await Promise.all([
    noticeFindings(inspection, config, notices),
    userGroupFindings(inspection, config),
  ]);
  return found.flat();
}
