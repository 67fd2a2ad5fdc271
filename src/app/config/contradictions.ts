import type { ConfigProblem } from './problems.ts';
import { exampleOf, type SettingName } from './settings.ts';
import type { Given } from './values.ts';

const oauthNames = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
] as const;

/** Settings for a single workspace, and what to do with many. */
const ONE_WORKSPACE = [
  ['SLACK_BOT_TOKEN', 'with OAuth each workspace has a token of its own'],
  ['ADMINS', 'with OAuth set admins of each workspace in DOCS_AGENT_CONFIG'],
  ['NOTICE_CHANNELS', 'with OAuth set notice_channels of each workspace in DOCS_AGENT_CONFIG'],
] as const;

const PLAIN_HTTP_ADDRESSES = [
  'AGENT_BASE_URL',
  'SLACK_API_URL',
  'GITHUB_WEB_URL',
  'GITHUB_API_URL',
  'GITLAB_URL',
] as const;

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/;

/** What is missing or contradictory, though each setting is right by itself. */
export function* contradictions(given: Given): Generator<ConfigProblem> {
  const { checked } = given;
  const isSet = (name: SettingName) => isGiven(given, name);
  if (swappedTokens(given).length > 0) {
    yield {
      variable: 'SLACK_BOT_TOKEN',
      message: 'and SLACK_APP_TOKEN are swapped: the bot token is xoxb-…, the app-level token xapp-…',
      example: 'SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-…',
    };
  }
  const ofOauth = oauthNames.filter(isSet);
  if (ofOauth.length > 0) {
    const need = `${ofOauth.join(', ')} ${ofOauth.length > 1 ? 'need' : 'needs'} it`;
    for (const name of oauthNames) if (!isSet(name)) yield problem(name, `is missing: ${need}`);
    for (const [name, instead] of ONE_WORKSPACE) {
      if (isSet(name)) yield twice(name, ofOauth[0], instead);
    }
  } else if (!isSet('SLACK_BOT_TOKEN')) {
    const message = 'is missing (for many workspaces, set the four OAuth settings instead)';
    yield problem('SLACK_BOT_TOKEN', message);
  }
  if (!isSet('SLACK_APP_TOKEN') && !isSet('SLACK_SIGNING_SECRET')) {
    const message =
      'is missing: set it for Socket Mode (no public address needed), ' +
      'or set SLACK_SIGNING_SECRET instead for HTTP mode (Slack calls a public address of yours)';
    yield problem('SLACK_APP_TOKEN', message);
  }
  const { POLL_MIN_INTERVAL: minMs = 0, POLL_MAX_INTERVAL: maxMs = Number.POSITIVE_INFINITY } = checked;
  if (maxMs < minMs) yield problem('POLL_MAX_INTERVAL', 'must not be shorter than POLL_MIN_INTERVAL');
  for (const variable of PLAIN_HTTP_ADDRESSES) {
    const url = URL.parse(checked[variable] ?? '');
    const isSafe = url === null || url.protocol === 'https:' || LOOPBACK.test(url.hostname);
    // A key or token would travel unencrypted.
    if (!isSafe && !checked.PLAIN_HTTP_HOSTS?.includes(url.hostname)) {
      const message = 'must use https: http is for this machine, and for hosts that PLAIN_HTTP_HOSTS names';
      yield problem(variable, message);
    }
  }
  // A token, or an App with both of its settings.
  const ofApp = (['GITHUB_APP_ID', 'GITHUB_APP_KEY'] as const).filter(isSet);
  const [name] = ofApp;
  if (name === undefined) return;
  const other = name === 'GITHUB_APP_ID' ? 'GITHUB_APP_KEY' : 'GITHUB_APP_ID';
  if (ofApp.length === 1) yield problem(other, `is missing: ${name} needs it`);
  if (isSet('GITHUB_TOKEN')) yield twice('GITHUB_TOKEN', name, 'keep one of them');
}

function problem(variable: SettingName, message: string): ConfigProblem {
  return { variable, message, example: exampleOf(variable) };
}

function twice(variable: SettingName, other: SettingName | undefined, what: string): ConfigProblem {
  return { variable, message: `and ${other} are both set: ${what}`, example: `unset ${variable}` };
}

export function swappedTokens({ values }: Given): readonly SettingName[] {
  const { SLACK_BOT_TOKEN: botToken = '', SLACK_APP_TOKEN: appToken = '' } = values;
  const isSwapped = botToken.startsWith('xapp-') && appToken.startsWith('xoxb-');
  return isSwapped ? ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'] : [];
}

export function isOauthMeant(given: Given): boolean {
  return oauthNames.some((name) => isGiven(given, name));
}

function isGiven({ values, unreadable }: Given, name: SettingName): boolean {
  return values[name] !== undefined || unreadable.has(name);
}
