import type { EncryptionKey } from './encryption-keys.ts';
import type { ConfigProblem } from './problems.ts';
import { exampleOf, type Settings } from './settings.ts';
import type { SettingValues } from './values.ts';

const oauthNames = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'TOKEN_ENCRYPTION_KEY',
] as const;

/** How the app comes into workspaces: by hand into one, or into any by the pages that the program serves. */
export type Installing =
  | { readonly kind: 'by_hand'; readonly botToken: string }
  | {
      readonly kind: 'oauth';
      readonly clientId: string;
      readonly clientSecret: string;
      /** Signs what comes back with who installs the app. */
      readonly stateSecret: string;
      /** The first encrypts, all decrypt. */
      readonly encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
    };

/** Whether any of the settings for OAuth is given. */
export function isOauthMeant({ values, unreadable }: SettingValues): boolean {
  return oauthNames.some((name) => values[name] !== undefined || unreadable.has(name));
}

/** What is missing for the one way or the other, and what cannot be together. */
export function installingProblems(given: SettingValues): ConfigProblem[] {
  const { values, unreadable } = given;
  const isGiven = (name: keyof Settings) => values[name] !== undefined || unreadable.has(name);
  if (!isOauthMeant(given)) {
    const message = 'is missing, or for many workspaces the four settings of OAuth';
    return isGiven('SLACK_BOT_TOKEN') ? [] : [problem('SLACK_BOT_TOKEN', message)];
  }
  const set = oauthNames.filter(isGiven);
  const missing = oauthNames
    .filter((name) => !isGiven(name))
    .map((name) => problem(name, `is missing: ${set.join(', ')} ${set.length > 1 ? 'need' : 'needs'} it`));
  const forbidden = ONE_WORKSPACE.filter(([name]) => isGiven(name)).map(([name, instead]) => ({
    variable: name,
    message: `and ${set[0]} are both set: ${instead}`,
    example: `unset ${name}`,
  }));
  return [...missing, ...forbidden];
}

/** Null if anything is missing. */
export function installingOf(values: Settings): Installing | null {
  const {
    SLACK_BOT_TOKEN: botToken,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
    TOKEN_ENCRYPTION_KEY: encryptionKeys,
  } = values;
  if (botToken !== undefined) return { kind: 'by_hand', botToken };
  if (clientId === undefined || clientSecret === undefined) return null;
  if (stateSecret === undefined || encryptionKeys === undefined) return null;
  return { kind: 'oauth', clientId, clientSecret, stateSecret, encryptionKeys };
}

/** Settings that only make sense for one workspace, and what to do with many. */
const ONE_WORKSPACE = [
  ['SLACK_BOT_TOKEN', 'with OAuth each workspace has a token of its own'],
  ['NOTICE_CHANNELS', 'with OAuth set notice_channels of each workspace in DOCS_AGENT_CONFIG'],
] as const;

function problem(variable: keyof Settings, message: string): ConfigProblem {
  return { variable, message, example: exampleOf(variable) };
}
