import type { Config } from '../../app/config/config.ts';
import { EVENTS_PATH } from '../../slack/protocol/paths.ts';
import { botScopes, CHANNELS_SCOPE, USER_GROUPS_SCOPE } from '../../slack/protocol/scopes.ts';
import { Inspection, type InspectionOptions, type TokenFacts } from '../../slack/workspace/inspection.ts';
import { type Finding, findingsOf } from './finding.ts';
import { slackFailure } from './slack-failure.ts';

const RENEW_APP_TOKEN =
  'Make an app-level token with the scope connections:write ("Basic Information" of the app), and set SLACK_APP_TOKEN to it.';

const ADD_SCOPES =
  'Add them to the app ("OAuth & Permissions", or the manifest of `docs-agent manifest`), and install it again.';

/** Who the token belongs to; null if that could not be found out. */
export async function tokenFindings(
  inspection: Inspection,
  {
    id,
    needsUserGroups,
    howToRenew,
  }: { readonly id: string | null; readonly needsUserGroups: boolean; readonly howToRenew: string },
): Promise<{ readonly facts: TokenFacts | null; readonly findings: readonly Finding[] }> {
  const findings = findingsOf('slack_token', id);
  try {
    const facts = await inspection.token();
    const { workspace, teamId, botName } = facts;
    const known = findings.ok(`@${botName} in ${workspace} (${teamId})`);
    return { facts, findings: [known, scopesFinding(id, facts.scopes, needsUserGroups)] };
  } catch (error) {
    const { finding, failure } = slackFailure(error, findings, howToRenew);
    const other = findings.error(`Slack refuses the token (${failure.code})`, howToRenew);
    return { facts: null, findings: [finding ?? other] };
  }
}

function scopesFinding(id: string | null, granted: TokenFacts['scopes'], needsUserGroups: boolean): Finding {
  const findings = findingsOf('slack_scopes', id);
  if (granted === null) {
    return findings.warning(
      'Slack does not say what is granted',
      'Compare the scopes of the app ("OAuth & Permissions") with `docs-agent manifest`.',
    );
  }
  const needed = botScopes
    .map(({ name }) => name)
    .filter((name) => name !== USER_GROUPS_SCOPE || needsUserGroups);
  const missing = needed.filter((name) => !granted.has(name));
  if (missing.length === 1 && missing[0] === CHANNELS_SCOPE) {
    return findings.warning(
      `missing: ${CHANNELS_SCOPE}, so notices show no more than the link of a pull request`,
      ADD_SCOPES,
    );
  }
  if (missing.length > 0) return findings.error(`missing: ${missing.join(', ')}`, ADD_SCOPES);
  const wished = new Set(botScopes.map(({ name }) => name));
  const spare = [...granted].filter((name) => !wished.has(name));
  return spare.length === 0
    ? findings.ok('all that are needed')
    : findings.ok(`all that are needed, and ${spare.join(', ')}, which docs-agent does not use`);
}

export async function connectionFinding(
  { installing, transport }: Config['slack'],
  { port }: Config['http'],
  options: InspectionOptions,
): Promise<Finding> {
  const findings = findingsOf('slack_connection');
  const oauth = installing.kind === 'oauth' ? ' --oauth' : '';
  if (transport.kind === 'http') {
    return findings.ok(
      `HTTP mode: Slack must reach POST ${EVENTS_PATH} at port ${port}, which cannot be checked from here`,
      `The manifest for it: \`docs-agent manifest --url https://<your address>${oauth}\`.`,
    );
  }
  try {
    await new Inspection(transport.appToken, options).mayConnect();
    return findings.ok('Socket Mode: the app token may open connections');
  } catch (error) {
    const { finding, failure } = slackFailure(error, findings, RENEW_APP_TOKEN);
    if (failure.code === 'missing_scope') {
      return findings.error('the app token lacks the scope connections:write', RENEW_APP_TOKEN);
    }
    const advice = 'Switch Socket Mode on in the app ("Socket Mode"), or use HTTP mode.';
    return finding ?? findings.error(`Slack opens no Socket Mode connection (${failure.code})`, advice);
  }
}
