import { nearest } from '#jobs/requests/command.ts';
import { type SettingName, settingNames, settings } from './settings.ts';
import {
  type ConfigProblem,
  type Environment,
  exampleOf,
  type Given,
  problemWith,
  UNKNOWN_SETTING,
} from './values.ts';

const OAUTH = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
] as const;

const ONE_WORKSPACE = [
  ['SLACK_BOT_TOKEN', 'with OAuth each workspace has a token of its own'],
  ['ADMINS', 'with OAuth set admins of each workspace in DOCS_AGENT_CONFIG'],
  ['NOTICE_CHANNELS', 'with OAuth set notice_channels of each workspace in DOCS_AGENT_CONFIG'],
] as const;

const GITHUB_APP = ['GITHUB_APP_ID', 'GITHUB_APP_KEY'] as const;

const NOT_BY_HTTP = [
  'AGENT_BASE_URL',
  'SLACK_API_URL',
  'GITHUB_WEB_URL',
  'GITHUB_API_URL',
  'GITLAB_URL',
] as const;
const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/;

export function isOauthMeant({ isSet }: Given): boolean {
  return OAUTH.some(isSet);
}

export function* settingProblems({
  values,
  checked,
  unreadable,
  invalid,
  isSet,
}: Given): Generator<ConfigProblem> {
  const isSwapped =
    values.SLACK_BOT_TOKEN?.startsWith('xapp-') && values.SLACK_APP_TOKEN?.startsWith('xoxb-');
  yield* unreadable.values();
  yield* invalid.filter(({ variable }) => !isSwapped || !/^SLACK_(BOT|APP)_TOKEN$/.test(variable));
  if (isSwapped) {
    yield {
      variable: 'SLACK_BOT_TOKEN',
      message: 'and SLACK_APP_TOKEN are swapped: the bot token is xoxb-…, the app-level token xapp-…',
      example: 'SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-…',
    };
  }
  const ofOauth = OAUTH.filter(isSet);
  if (ofOauth.length > 0) {
    const need = `is missing: ${ofOauth.join(', ')} ${ofOauth.length > 1 ? 'need' : 'needs'} it`;
    for (const name of OAUTH) if (!isSet(name)) yield problemWith(name, need);
    for (const [name, instead] of ONE_WORKSPACE) if (isSet(name)) yield twice(name, ofOauth[0], instead);
  } else if (!isSet('SLACK_BOT_TOKEN')) {
    yield problemWith(
      'SLACK_BOT_TOKEN',
      'is missing (for many workspaces, set the four OAuth settings instead)',
    );
  }
  if (!isSet('SLACK_APP_TOKEN') && !isSet('SLACK_SIGNING_SECRET')) {
    yield problemWith(
      'SLACK_APP_TOKEN',
      'is missing: set it for Socket Mode (no public address needed), ' +
        'or set SLACK_SIGNING_SECRET instead for HTTP mode (Slack calls a public address of yours)',
    );
  }
  const { POLL_MIN_INTERVAL: minMs = 0, POLL_MAX_INTERVAL: maxMs = Number.POSITIVE_INFINITY } = checked;
  if (maxMs < minMs) yield problemWith('POLL_MAX_INTERVAL', 'must not be shorter than POLL_MIN_INTERVAL');
  for (const name of NOT_BY_HTTP) {
    const { protocol = 'https:', hostname = '' } = URL.parse(checked[name] ?? '') ?? {};
    if (protocol !== 'https:' && !LOOPBACK.test(hostname) && !checked.PLAIN_HTTP_HOSTS?.includes(hostname)) {
      yield problemWith(
        name,
        'must use https: http is for this machine, and for hosts that PLAIN_HTTP_HOSTS names',
      );
    }
  }
  const ofApp = GITHUB_APP.find(isSet);
  const missing = GITHUB_APP.find((name) => !isSet(name));
  if (ofApp === undefined) return;
  if (missing !== undefined) yield problemWith(missing, `is missing: ${ofApp} needs it`);
  if (isSet('GITHUB_TOKEN')) yield twice('GITHUB_TOKEN', ofApp, 'keep one of them');
}

function twice(variable: SettingName, other: SettingName | undefined, what: string): ConfigProblem {
  return { variable, message: `and ${other} are both set: ${what}`, example: `unset ${variable}` };
}

const OURS = /^(?:SLACK|AGENT|DOCS_AGENT|RUNNER)_/;
/** Kubernetes sets these for every service, such as one named docs-agent. */
const OF_KUBERNETES = /_SERVICE_(?:HOST$|PORT(?:$|_))|_PORT_\d+_(?:TCP|UDP|SCTP)(?:$|_)/;
/** `DOCS_AGENT_PORT=tcp://10.0.0.1:80` */
const ADDRESS_OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//;

const known: ReadonlyMap<string, SettingName> = new Map(
  settingNames.flatMap((name) =>
    [name, ...(settings[name].isSecret ? [`${name}_FILE`] : [])].map((variable) => [variable, name]),
  ),
);

/** Also reports an empty NOTICE_CHANNELS. @param others variables that the settings name */
export function ignoredSettings(env: Environment, others: readonly string[]): ConfigProblem[] {
  const textOf = (name: string) => (env[name] ?? '').trim();
  const problems = Object.keys(env).flatMap((variable): ConfigProblem[] => {
    const value = textOf(variable);
    if (value === '' || known.has(variable) || others.includes(variable)) return [];
    if (OF_KUBERNETES.test(variable) || ADDRESS_OF_KUBERNETES.test(value)) return [];
    // In a short name, two different letters make another word.
    const meant = nearest(variable.toUpperCase(), [...known.keys()], (name) => (name.length >= 8 ? 2 : 1));
    const setting = known.get(meant ?? '');
    if (meant === null || setting === undefined) {
      return OURS.test(variable)
        ? [{ variable, message: UNKNOWN_SETTING, example: `unset ${variable}` }]
        : [];
    }
    // The right one is set, so this may be another program's.
    if (!OURS.test(variable) && textOf(meant) !== '') return [];
    const message = `${UNKNOWN_SETTING}, did you mean ${meant}?`;
    const file = `${meant}=/run/secrets/${setting.toLowerCase()}`;
    return [{ variable, message, example: meant === setting ? exampleOf(setting) : file, meant: setting }];
  });
  if (env.NOTICE_CHANNELS?.trim() !== '') return problems;
  const message = 'is set, but empty: write channel ids, since # begins a comment in a settings file';
  return [...problems, problemWith('NOTICE_CHANNELS', message)];
}
