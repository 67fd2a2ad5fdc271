import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { errorOf, noFiles, parse, required } from '../../support/settings.ts';

const said = (env: Record<string, string>) =>
  parse(env).ignored.map(({ variable, message }) => `${variable} ${message}`);

test.each([
  ['NOTICE_CHANEL', 'NOTICE_CHANNELS'],
  ['NOTICE_CHANNEL', 'NOTICE_CHANNELS'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['POLL_MAX_INTERVALL', 'POLL_MAX_INTERVAL'],
  ['SLACK_SIGNING_SECRETE', 'SLACK_SIGNING_SECRET'],
  ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ['AGENT_TIMOUT', 'AGENT_TIMEOUT'],
  ['log_level', 'LOG_LEVEL'],
  ['HELTH_PORT', 'HEALTH_PORT'],
])('%s is taken for a misspelt %s', (name, meant) => {
  expect(said({ [name]: 'x' })).toEqual([`${name} unknown setting, did you mean ${meant}?`]);
});

test('what others set is left alone', () => {
  const others = {
    PATH: '/bin',
    HOME: '/root',
    HOSTNAME: 'x',
    SHELL: 'sh',
    AGENT_API_KEY_FILE: '',
    NOTICE_CHANEL: ' ',
  };
  expect(said(others)).toEqual([]);
});

test('the variables that the file names for keys of projects are no mistakes', () => {
  const file = 'projects: [{ id: docs, api_key_env: AGENT_API_KEY_DOCS }]';
  const env = { ...required, DOCS_AGENT_CONFIG: 'x', AGENT_API_KEY_DOCS: 'key-of-docs' };
  expect(parseConfig(env, () => file).ignored).toEqual([]);
});

test('beside another problem a misspelt name is reported with it, and what it stands for is not missing, too', () => {
  const { SLACK_BOT_TOKEN: token, AGENT_BASE_URL: _url, ...others } = required;
  const { problems } = errorOf({ ...others, SLACK_BOT_TOKN: token }, noFiles);
  expect(problems.map(({ variable }) => variable)).toEqual(['AGENT_BASE_URL', 'SLACK_BOT_TOKN']);
  expect(problems[1]).toMatchObject({
    variable: 'SLACK_BOT_TOKN',
    message: 'unknown setting, did you mean SLACK_BOT_TOKEN?',
    example: 'SLACK_BOT_TOKEN=xoxb-12-34-abcd',
  });
});

test('an empty list of notice channels is noticed: in a file, what follows a # is a comment', () => {
  expect(said({ NOTICE_CHANNELS: '' })).toEqual([
    'NOTICE_CHANNELS is set, but empty: write channel ids, since # begins a comment in a settings file',
  ]);
  expect(parse({ NOTICE_CHANNELS: 'C0123' }).ignored).toEqual([]);
});
