import { SlackCallError, type SlackFailure } from '../../slack/workspace/web-api/failure.ts';
import type { Finding, findingsOf } from './finding.ts';

/** Slack's error codes for a token that is of no use (any more). */
const USELESS = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

/**
 * What to say of a call that failed, whatever it was about; null: that depends on what it was about. Throws on what
 * is no failure of Slack's.
 */
export function slackFailure(
  error: unknown,
  findings: ReturnType<typeof findingsOf>,
  howToRenew: string,
): { readonly finding: Finding | null; readonly failure: SlackFailure } {
  if (!(error instanceof SlackCallError)) throw error;
  const { failure } = error;
  return { failure, finding: generalFinding(failure, findings, howToRenew) };
}

function generalFinding(
  { code, outcome, retryAfterMs, needsAdmin, isPassing }: SlackFailure,
  findings: ReturnType<typeof findingsOf>,
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
      `Look again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    );
  }
  if (isPassing) {
    return findings.warning(`Slack refuses for now (${code})`, 'Look again in a few minutes.');
  }
  if (outcome === 'refused') return null;
  return findings.error(
    `Slack gave no answer that can be used (${code})`,
    'Check the network, the proxy, and SLACK_API_URL if it is set; see https://slack-status.com.',
  );
}
