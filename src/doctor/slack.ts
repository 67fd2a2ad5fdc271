import type { Config, WorkspaceSettings } from '#app/config/config.ts';
import { scopesOfFeatures } from '#app/features.ts';
import { hasMarks } from '#jobs/policy.ts';
import { otherProgramWords } from '#slack/inbound/connection/kept-socket.ts';
import { EVENTS_PATH } from '#slack/protocol/ids.ts';
import { EMOJI_SCOPE, howToGrant, missingScopes, scopesInWords } from '#slack/protocol/scopes.ts';
import { failureIn } from '#slack/workspace/caller.ts';
import { type Inspection, inspectionBy, type TokenFacts } from '#slack/workspace/inspection.ts';
import { type Finding, type Findings, findingsOf, type Given } from './finding.ts';

const RENEW_APP_TOKEN =
  'Make an app-level token with the scope connections:write ("Basic Information" of the app), and set SLACK_APP_TOKEN to it.';

export const INVITE = 'Type /invite @docs-agent in the channel, or remove the channel from the settings.';

/** For a channel. */
const SEE_TOKEN = 'See the lines on the token and its scopes, or run doctor again.';

/** From the running program: a connection of doctor's own would receive requests. */
export function otherProgramFindings(otherConnections: number): Finding[] {
  if (otherConnections === 0) return [];
  return [
    findingsOf('slack_other_program').error(
      otherProgramWords(otherConnections),
      'Look for a forgotten server, a laptop or a second deployment. If there is none, make a new app-level token and revoke the old one.',
    ),
  ];
}

export async function connectionFinding({ config, tools }: Given<Config>): Promise<Finding> {
  const { installing, transport, apiUrl } = config.slack;
  const findings = findingsOf('slack_connection');
  if (transport.kind === 'http') {
    const oauth = installing.kind === 'oauth' ? ' --oauth' : '';
    return findings.ok(
      `HTTP mode: Slack must reach POST ${EVENTS_PATH} at port ${config.http.port}, which cannot be checked from here`,
      `The manifest for it: \`docs-agent manifest --url https://<your address>${oauth}\`. If commands work and mentions do not, look at "Event Subscriptions" of the app: Slack switches them off when nearly all deliveries fail for an hour.`,
    );
  }
  const failed = slackFailure(
    findings,
    (code) =>
      findings.error(
        `Slack refuses a Socket Mode connection (${code})`,
        'Switch Socket Mode on in the app ("Socket Mode"), or use HTTP mode.',
      ),
    RENEW_APP_TOKEN,
  );
  const connecting = inspectionBy(transport.appToken, apiUrl, tools).mayConnect();
  return connecting.then(() => findings.ok('Socket Mode: the app token may open connections'), failed);
}

const USELESS = new Set([
  'account_inactive',
  'invalid_auth',
  'missing_scope',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

export function slackFailure(
  { warning, error: problem }: Findings,
  otherwise: (code: string) => Finding,
  howToRenew = SEE_TOKEN,
): (error: unknown) => Finding {
  return (error) => {
    const { code, outcome, retryAfterMs, needsAdmin, isPassing } = failureIn(error);
    if (USELESS.has(code)) return problem(`Slack refuses the token (${code})`, howToRenew);
    if (needsAdmin) {
      const next = "Ask an administrator of the workspace what Slack's code means.";
      return problem(`Slack refuses (${code})`, next);
    }
    if (retryAfterMs !== null) {
      return warning("Slack's rate limit is used up", `Check again in ${Math.ceil(retryAfterMs / 1000)} s.`);
    }
    if (isPassing) return warning(`Slack refuses for now (${code})`, 'Check again in a few minutes.');
    if (outcome === 'refused') return otherwise(code);
    return problem(
      `Slack gave no usable answer (${code})`,
      'Check the network, the proxy, and SLACK_API_URL if it is set; see https://slack-status.com.',
    );
  };
}

export function scopesFinding(
  id: string | null,
  granted: TokenFacts['scopes'],
  settings: readonly WorkspaceSettings[],
  config: Pick<Config, 'codeHosts'>,
): Finding {
  const findings = findingsOf('slack_scopes', id);
  if (granted === null) {
    return findings.warning(
      'Slack does not say what is granted',
      'Compare the scopes of the app ("OAuth & Permissions") with `docs-agent manifest`.',
    );
  }
  // Reported with the emoji.
  const missing = missingScopes(granted, settings, scopesOfFeatures(config, settings)).filter(
    ({ name }) => name !== EMOJI_SCOPE,
  );
  if (missing.length > 0) {
    const level = missing.every(({ isOptional }) => isOptional) ? 'warning' : 'error';
    return findings[level](`missing: ${scopesInWords(missing)}`, howToGrant(missing));
  }
  return findings.ok('all that are needed');
}

/** `id` is null for a single workspace. */
export type Served = Readonly<{ id: string | null; settings: WorkspaceSettings }>;

type EmojiNames = ReadonlySet<string> | { readonly error: unknown };

/** Null: not needed, or not granted. */
export async function emojiNames(
  inspection: Inspection,
  scopes: TokenFacts['scopes'],
  settings: readonly WorkspaceSettings[],
): Promise<EmojiNames | null> {
  if (!scopes?.has(EMOJI_SCOPE) || !settings.some(hasMarks)) return null;
  return inspection.emoji().catch((error: unknown) => ({ error }));
}

/** Slack lists these names, but uses others in events. */
const REPORTED_AS = new Map([
  ['thumbsup', '+1'],
  ['thumbsdown', '-1'],
  ['pencil', 'memo'],
  ['open_book', 'book'],
]);

export function emojiFinding(emoji: string, names: EmojiNames | null, findings: Findings): Finding {
  const { ok, warning } = findings;
  const reported = REPORTED_AS.get(emoji);
  if (reported !== undefined) {
    return warning(
      `Slack reports :${emoji}: as :${reported}:, so it makes no drafts`,
      `In the file of DOCS_AGENT_CONFIG, set reaction: "${reported}".`,
    );
  }
  if (names === null) {
    return ok(
      `:${emoji}: makes drafts; whether the emoji exists was not checked`,
      `That needs the optional scope ${EMOJI_SCOPE}.`,
    );
  }
  if ('error' in names) {
    return slackFailure(findings, (code) =>
      warning(`Slack does not say whether there is an emoji :${emoji}: (${code})`, 'Run doctor again.'),
    )(names.error);
  }
  if (names.has(emoji)) return ok(`:${emoji}: makes drafts`);
  return warning(
    `Slack lists no emoji :${emoji}:`,
    'Correct channels.….reaction in the file of DOCS_AGENT_CONFIG: use the name that Slack shows for the emoji.',
  );
}
