import { describe, expect, test } from 'vitest';
import { parseRunnerConfig } from '../../../src/app/config/config.ts';
import { settingNames } from '../../../src/app/config/settings.ts';
import { ConfigError, formatProblems } from '../../../src/app/config/values.ts';
import { fc } from '../../support/properties.ts';
import { errorOf, parse, problemsOf, required, variablesOf } from '../../support/settings.ts';

describe('settings', () => {
  test.each([
    ['3001', '3001', null],
    ['3001', '3002', 3002],
    ['0', '0', 0],
    ['0', undefined, null],
  ])(
    'with PORT %s and HEALTH_PORT %s, health has the port %s for itself',
    (PORT, HEALTH_PORT, healthPort) => {
      expect(parse({ PORT, HEALTH_PORT }).http.healthPort).toBe(healthPort);
    },
  );

  test('an app token means Socket Mode, a signing secret alone means HTTP', () => {
    const signing = { SLACK_SIGNING_SECRET: 'signing' };
    expect(parse(signing).slack.transport.kind).toBe('socket');
    expect(parse({ ...signing, SLACK_APP_TOKEN: '' }).slack.transport).toEqual({
      kind: 'http',
      signingSecret: 'signing',
    });
  });

  test.each([
    [
      { SLACK_BOT_TOKEN: 'xapp-1-A12', SLACK_APP_TOKEN: 'xoxb-12-34' },
      'SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped: the bot token is xoxb-…, the app-level token xapp-….',
    ],
    [{ SLACK_BOT_TOKEN: 'xapp-1-A12' }, 'SLACK_BOT_TOKEN is not a bot token: it must start with xoxb-.'],
    [
      { SLACK_APP_TOKEN: 'xoxb-12-34' },
      'SLACK_APP_TOKEN is not an app-level token: it must start with xapp-.',
    ],
  ])('%j: tokens in the wrong place are recognised', (tokens, message) => {
    const lines = formatProblems(errorOf({ ...required, ...tokens })).split('\n');
    expect(lines).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['agent.example.com', 'https://agent.example.com'],
    ['agent.example.com:8443/v1', 'https://agent.example.com:8443/v1'],
    ['localhost:8080', 'http://localhost:8080'],
  ])('an address without its scheme is asked about: %s', (AGENT_BASE_URL, meant) => {
    const [line, ...others] = formatProblems(errorOf({ ...required, AGENT_BASE_URL })).split('\n');
    expect(others).toEqual([]);
    expect(line).toMatch(
      new RegExp(`has no http:// or https://: did you mean ${meant.replaceAll('.', '\\.')}\\?`),
    );
  });

  test('blank counts as not set, and white space around a value does not matter', () => {
    expect(parse({ PORT: '', HOST: '  ', SLACK_API_URL: '', AGENT_PROJECT_ID: ' docs\r' })).toEqual(
      parse({}),
    );
  });
});

test('keys go without encryption only to this machine, and to hosts that are named for it', () => {
  const AGENT_BASE_URL = 'http://agent.internal:8080';
  const named = { AGENT_BASE_URL, PLAIN_HTTP_HOSTS: 'slack.test, Agent.internal' };
  expect(parse(named).agent.baseUrl).toBe(AGENT_BASE_URL);
  const others = problemsOf({ AGENT_BASE_URL, PLAIN_HTTP_HOSTS: 'internal, x.agent.internal' });
  expect(variablesOf(others)).toEqual(['AGENT_BASE_URL']);
});

describe('wrong settings', () => {
  test.each([
    ['SLACK_BOT_TOKEN', 'xoxb-12 34'],
    ['SLACK_APP_TOKEN', 'xoxb-12-34'],
    ['SLACK_API_URL', 'slack.test/api'],
    ['SLACK_API_URL', 'ftp://slack.test/api'],
    ['SLACK_API_URL', 'https://user@slack.test/api'],
    ['AGENT_BASE_URL', 'http://agent.example.com'],
    ['SLACK_API_URL', 'http://slack.test/api'],
    ['PLAIN_HTTP_HOSTS', 'http://agent.example.com'],
    ['AGENT_BASE_URL', 'https://user:password@agent.example.com'],
    ['AGENT_BASE_URL', 'https://agent.example.com/?key=1'],
    ['AGENT_API_KEY', 'two\nlines'],
    ['AGENT_PROJECT_ID', 'my docs'],
    ['AGENT_TIMEOUT', '999ms'],
    ['AGENT_TIMEOUT', '11m'],
    ['AGENT_READS_PER_MINUTE', '0'],
    ['AGENT_HOURLY_BUDGET', '1.5'],
    ['DATABASE_URL', 'mysql://db/docs'],
    ['DATABASE_URL', 'postgres'],
    ['PORT', '65536'],
    ['PORT', '0x10'],
    ['NOTICE_CHANNELS', 'C0001,#docs'],
    ['NOTICE_CHANNELS', 'U0001'],
    ['POLL_MIN_INTERVAL', '0'],
    ['POLL_MAX_INTERVAL', '1999ms'],
    ['FOLLOW_UP_WINDOW', '4 s'],
    ['SETTLE_WINDOW', '2h'],
    ['PR_REMINDER_AFTER', '999ms'],
    ['LONG_RUNNING_AFTER', '30s'],
    ['PROMPT_MAX_LENGTH', '0'],
    ['LOG_LEVEL', 'verbose'],
  ])('%s=%j is one problem', (variable, value) => {
    expect(variablesOf(problemsOf({ [variable]: value }))).toEqual([variable]);
  });

  test('never show a value, whatever it is', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9/+:@ ]{12,40}$/).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(fc.constantFrom(...settingNames), value, (variable, text) => {
        try {
          parse({ [variable]: text });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect(formatProblems(error as ConfigError)).not.toContain(text);
        }
      }),
    );
  });
});

test('settings of the runner name one code host, and an address without a password', () => {
  const env = {
    RUNNER_COMMAND: 'opencode acp',
    RUNNER_API_KEY: 'the-key',
    RUNNER_REPOSITORY: '/srv/docs.git',
  };
  const expectProblem = (variable: string, more: Record<string, string>) =>
    expect(() => parseRunnerConfig({ ...env, ...more })).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ variable })] }),
    );
  const project = { id: 'docs', repository: '/srv/docs.git', branch: null, command: ['opencode', 'acp'] };
  expect(parseRunnerConfig(env)).toMatchObject({ projects: [project], codeHosts: [] });
  expectProblem('RUNNER_REPOSITORY', { RUNNER_REPOSITORY: 'https://alice:hunter2@example.com/docs' });
  const tokens = { GITHUB_TOKEN: 'github_pat_1', GITLAB_TOKEN: 'glpat-1' };
  expectProblem('RUNNER_CODE_HOST_REPOSITORY', { ...tokens, RUNNER_CODE_HOST_REPOSITORY: 'acme/docs' });
});
