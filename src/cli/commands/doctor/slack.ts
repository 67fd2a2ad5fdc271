import type { Logger } from '../../../engine/runtime/logger.ts';
import { otherProgramWords } from '../../../slack/inbound/connection/connection-count.ts';
import { EVENTS_PATH } from '../../../slack/protocol/ids.ts';
import {
  agentScopes,
  botScopes,
  EMOJI_SCOPE,
  howToGrant,
  missingScopes,
  optionalReactionScopes,
  reactionScopes,
  type ScopeUse,
  scopesInWords,
} from '../../../slack/protocol/scopes.ts';
import { Inspection, type TokenFacts } from '../../../slack/workspace/inspection.ts';
import { SlackCallError, type SlackFailure } from '../../../slack/workspace/web-api/failure.ts';
import { type Finding, type Findings, findingsOf, type Given } from './finding.ts';

const RENEW_APP_TOKEN =
  'Make an app-level token with the scope connections:write ("Basic Information" of the app), and set SLACK_APP_TOKEN to it.';

/** The token was accepted a moment ago: it was revoked meanwhile. */
export const LOOK_AGAIN = 'Run doctor again.';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What looks at Slack with the token. */
export function inspectionWith(token: string, { config, tools: { clock, timeoutMs } }: Given): Inspection {
  return new Inspection(token, { apiUrl: config.slack.apiUrl, timeoutMs, clock, log: silent });
}

/** What the running program has seen: doctor opens no connection, which would get a share of the requests. */
export function otherProgramFindings(otherConnections: number): Finding[] {
  if (!(otherConnections > 0)) return [];
  return [
    findingsOf('slack_other_program').error(
      otherProgramWords(otherConnections),
      'Look for a forgotten server, a laptop or a second deployment. If there is none, make a new app-level token and revoke the old one.',
    ),
  ];
}

export async function connectionFinding(given: Given): Promise<Finding> {
  const { installing, transport } = given.config.slack;
  const findings = findingsOf('slack_connection');
  if (transport.kind === 'http') {
    const oauth = installing.kind === 'oauth' ? ' --oauth' : '';
    return findings.ok(
      `HTTP mode: Slack must reach POST ${EVENTS_PATH} at port ${given.config.http.port}, which cannot be checked from here`,
      `The manifest for it: \`docs-agent manifest --url https://<your address>${oauth}\`. If commands work and mentions do not, look at "Event Subscriptions" of the app: Slack switches them off when nearly all deliveries fail for an hour.`,
    );
  }
  try {
    await inspectionWith(transport.appToken, given).mayConnect();
    return findings.ok('Socket Mode: the app token may open connections');
  } catch (error) {
    if (error instanceof SlackCallError && error.failure.code === 'missing_scope') {
      return findings.error('the app token lacks the scope connections:write', RENEW_APP_TOKEN);
    }
    const advice = 'Switch Socket Mode on in the app ("Socket Mode"), or use HTTP mode.';
    return slackFailure(error, findings, RENEW_APP_TOKEN, (code) =>
      findings.error(`Slack refuses a Socket Mode connection (${code})`, advice),
    );
  }
}

/**
 * What to say about a call that failed; `otherwise`, if that depends on what was called. Throws what is not a failure of
 * Slack.
 */
export function slackFailure(
  error: unknown,
  findings: Findings,
  howToRenew: string,
  otherwise: (code: string) => Finding,
): Finding {
  if (!(error instanceof SlackCallError)) throw error;
  return generalFinding(error.failure, findings, howToRenew) ?? otherwise(error.failure.code);
}

/** Slack's error codes for a token that is of no use (any more). */
const USELESS = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

function generalFinding(
  { code, outcome, retryAfterMs, needsAdmin, isPassing }: SlackFailure,
  findings: Findings,
  howToRenew: string,
): Finding | null {
  if (USELESS.has(code)) return findings.error(`Slack refuses the token (${code})`, howToRenew);
  if (code === 'missing_scope') {
    return findings.error('a scope is missing', 'See the line on scopes.');
  }
  if (needsAdmin) {
    return findings.error(
      `Slack refuses (${code})`,
      "Ask an administrator of the workspace what Slack's code means.",
    );
  }
  if (retryAfterMs !== null) {
    return findings.warning(
      "Slack's rate limit is used up",
      `Check again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    );
  }
  if (isPassing) {
    return findings.warning(`Slack refuses for now (${code})`, 'Check again in a few minutes.');
  }
  if (outcome === 'refused') return null;
  return findings.error(
    `Slack gave no usable answer (${code})`,
    'Check the network, the proxy, and SLACK_API_URL if it is set; see https://slack-status.com.',
  );
}

export function scopesFinding(id: string | null, granted: TokenFacts['scopes'], use: ScopeUse): Finding {
  const findings = findingsOf('slack_scopes', id);
  if (granted === null) {
    return findings.warning(
      'Slack does not say what is granted',
      'Compare the scopes of the app ("OAuth & Permissions") with `docs-agent manifest`.',
    );
  }
  // The line of the emoji says what comes of that scope.
  const missing = missingScopes(granted, use).filter(({ name }) => name !== EMOJI_SCOPE);
  if (missing.length > 0) {
    const found = `missing: ${scopesInWords(missing)}`;
    const isWarning = missing.every(({ isOptional }) => isOptional);
    return isWarning
      ? findings.warning(found, howToGrant(missing))
      : findings.error(found, howToGrant(missing));
  }
  const ofReactions = use.reactions ? [...reactionScopes, ...optionalReactionScopes] : [];
  const known = new Set([...botScopes, ...agentScopes, ...ofReactions].map(({ name }) => name));
  const spare = [...granted].filter((name) => !known.has(name));
  return spare.length === 0
    ? findings.ok('all that are needed')
    : findings.ok(`all that are needed, and ${spare.join(', ')}, which docs-agent does not use`);
}
