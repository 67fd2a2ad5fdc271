import type { ConfigProblem } from './problems.ts';
import { exampleOf, type SettingName } from './settings.ts';
import type { Given } from './values.ts';

const oauthNames = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
] as const;

/** What is missing or contradictory, though each setting is right by itself. */
export function contradictions(given: Given): ConfigProblem[] {
  return [
    ...(swappedTokens(given).length === 0 ? [] : [SWAPPED]),
    ...installingProblems(given),
    ...missingTransport(given),
    ...reversedIntervals(given),
    ...plainHttpProblems(given),
    ...githubProblems(given),
  ];
}

export function swappedTokens({ values }: Given): readonly SettingName[] {
  const { SLACK_BOT_TOKEN: botToken = '', SLACK_APP_TOKEN: appToken = '' } = values;
  const isSwapped = botToken.startsWith('xapp-') && appToken.startsWith('xoxb-');
  return isSwapped ? ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'] : [];
}

const SWAPPED: ConfigProblem = {
  variable: 'SLACK_BOT_TOKEN',
  message: 'and SLACK_APP_TOKEN are swapped: the bot token is xoxb-…, the app-level token xapp-…',
  example: 'SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-…',
};

export function isOauthMeant(given: Given): boolean {
  return oauthNames.some((name) => isGiven(given, name));
}

function isGiven({ values, unreadable }: Given, name: SettingName): boolean {
  return values[name] !== undefined || unreadable.has(name);
}

function installingProblems(given: Given): ConfigProblem[] {
  const set = oauthNames.filter((name) => isGiven(given, name));
  if (set.length === 0) {
    const message = 'is missing (for many workspaces, set the four OAuth settings instead)';
    return isGiven(given, 'SLACK_BOT_TOKEN') ? [] : [problem('SLACK_BOT_TOKEN', message)];
  }
  const need = `${set.join(', ')} ${set.length > 1 ? 'need' : 'needs'} it`;
  const missing = oauthNames
    .filter((name) => !isGiven(given, name))
    .map((name) => problem(name, `is missing: ${need}`));
  const forbidden = ONE_WORKSPACE.filter(([name]) => isGiven(given, name)).map(([name, instead]) => ({
    variable: name,
    message: `and ${set[0]} are both set: ${instead}`,
    example: `unset ${name}`,
  }));
  return [...missing, ...forbidden];
}

/** Settings for a single workspace, and what to do with many. */
const ONE_WORKSPACE = [
  ['SLACK_BOT_TOKEN', 'with OAuth each workspace has a token of its own'],
  ['ADMINS', 'with OAuth set admins of each workspace in DOCS_AGENT_CONFIG'],
  ['NOTICE_CHANNELS', 'with OAuth set notice_channels of each workspace in DOCS_AGENT_CONFIG'],
] as const;

function missingTransport(given: Given): ConfigProblem[] {
  if (isGiven(given, 'SLACK_APP_TOKEN') || isGiven(given, 'SLACK_SIGNING_SECRET')) return [];
  const message =
    'is missing: set it for Socket Mode (no public address needed), ' +
    'or set SLACK_SIGNING_SECRET instead for HTTP mode (Slack calls a public address of yours)';
  return [problem('SLACK_APP_TOKEN', message)];
}

function reversedIntervals({ checked: { POLL_MIN_INTERVAL: min, POLL_MAX_INTERVAL: max } }: Given) {
  if (min === undefined || max === undefined || max >= min) return [];
  return [problem('POLL_MAX_INTERVAL', 'must not be shorter than POLL_MIN_INTERVAL')];
}

const PLAIN_HTTP_ADDRESSES = [
  'AGENT_BASE_URL',
  'SLACK_API_URL',
  'GITHUB_WEB_URL',
  'GITHUB_API_URL',
  'GITLAB_URL',
] as const;

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/;

/** Where a key or token would travel unencrypted to a host that PLAIN_HTTP_HOSTS does not name. */
function plainHttpProblems({ checked }: Given): ConfigProblem[] {
  const allowed = checked.PLAIN_HTTP_HOSTS ?? [];
  return PLAIN_HTTP_ADDRESSES.flatMap((variable) => {
    const url = URL.parse(checked[variable] ?? '');
    if (url === null || url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return [];
    if (allowed.includes(url.hostname)) return [];
    const message = 'must use https: http is for this machine, and for hosts that PLAIN_HTTP_HOSTS names';
    return [problem(variable, message)];
  });
}

/** A token, or an App with both of its settings. */
function githubProblems(given: Given): ConfigProblem[] {
  const ofApp = (['GITHUB_APP_ID', 'GITHUB_APP_KEY'] as const).filter((name) => isGiven(given, name));
  const [name] = ofApp;
  if (name === undefined) return [];
  const other = name === 'GITHUB_APP_ID' ? 'GITHUB_APP_KEY' : 'GITHUB_APP_ID';
  const missing = ofApp.length === 1 ? [problem(other, `is missing: ${name} needs it`)] : [];
  const message = `and ${name} are both set: keep one of them`;
  const twice = { variable: 'GITHUB_TOKEN', message, example: 'unset GITHUB_TOKEN' };
  return isGiven(given, 'GITHUB_TOKEN') ? [...missing, twice] : missing;
}

function problem(variable: SettingName, message: string): ConfigProblem {
  return { variable, message, example: exampleOf(variable) };
}
