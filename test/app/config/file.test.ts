import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConfig, parseRunnerConfig } from '../../../src/app/config/config.ts';
import { type ConfigError, formatProblems } from '../../../src/app/config/values.ts';
import { errorOf, noFiles, required } from '../../support/settings.ts';

const PATH = './docs-agent.yml';
const withFile = (text: string) => (path: string) => (path === PATH ? text : noFiles(path));
const config = (text: string, env: Record<string, string | undefined> = {}) =>
  parseConfig({ ...required, AGENT_PROJECT_ID: undefined, DOCS_AGENT_CONFIG: PATH, ...env }, withFile(text));
const problems = (text: string, env: Record<string, string | undefined> = {}) =>
  errorOf({ ...required, AGENT_PROJECT_ID: undefined, DOCS_AGENT_CONFIG: PATH, ...env }, withFile(text))
    .problems;
const messages = (text: string) => problems(text).map(({ variable, message }) => `${variable} ${message}`);

const doubled = (letter: string) => {
  const before = String.fromCharCode(letter.charCodeAt(0) - 1);
  return `${letter}: &${letter} [${Array(9).fill(`*${before}`).join(', ')}]`;
};

describe('the file of DOCS_AGENT_CONFIG', () => {
  test('lists projects, each with a name, notice channels and a key', () => {
    const text = [
      'projects:',
      '  - id: acme-docs',
      '    name: docs',
      '    notice_channels: [C0001]',
      '  - id: acme-handbook',
      '    api_key_env: HANDBOOK_KEY',
    ].join('\n');
    const { projects, agent } = config(text, { HANDBOOK_KEY: 'secret-2' });
    expect(projects).toEqual([
      { id: 'acme-docs', name: 'docs', noticeChannels: ['C0001'] },
      { id: 'acme-handbook', name: 'acme-handbook', noticeChannels: [] },
    ]);
    expect(Object.fromEntries(agent.apiKeys)).toEqual({
      'acme-docs': 'agent-key',
      'acme-handbook': 'secret-2',
    });
  });

  test.each([
    [
      'aliases of aliases',
      ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'.split('').map(doubled)].join('\n'),
    ],
    ['an alias of itself', 'projects: &a [*a]'],
    ['very deep nesting', `projects: ${'['.repeat(20_000)}`],
  ])('%s are a problem of the file, and no danger', (_what, text) => {
    const startedAtMs = performance.now();
    expect(problems(text, { AGENT_PROJECT_ID: 'docs' }).map(({ variable }) => variable)).toContain(
      'DOCS_AGENT_CONFIG',
    );
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });

  test('sets channels, access and admins', () => {
    const text = [
      'channels:',
      '  C0001: { notice_channels: [C0002], follow_ups: mentions, follow_up_window: 30s, approvers: [U0002], reaction: ":memo:" }',
      'access:',
      '  { users: [U0001], user_groups: [S0001], channels: [C0001], shared_channels: [C0002], guests: true, bots: [A0001] }',
      'admins: [U0001]',
    ].join('\n');
    const { channels, access } = config(text, { AGENT_PROJECT_ID: 'docs' });
    expect(channels.get('C0001')).toEqual({
      projectName: undefined,
      noticeChannels: ['C0002'],
      followUpMode: 'mentions',
      followUpWindowMs: 30_000,
      reaction: 'memo',
      approvers: ['U0002'],
    });
    expect(access).toEqual({
      users: new Set(['U0001']),
      userGroups: new Set(['S0001']),
      sharedChannels: new Set(['C0002']),
      channels: new Set(['C0001']),
      guests: true,
      otherWorkspaces: false,
      workflowChannels: new Set(),
      bots: new Set(['A0001']),
      admins: new Set(['U0001']),
    });
  });

  test('the example that comes with the program is right', () => {
    const text = readFileSync(new URL('../../../docs-agent.example.yml', import.meta.url), 'utf8');
    const secrets = { HANDBOOK_API_KEY: 'key', RELEASE_HOOK_SECRET: `whsec_${'A'.repeat(32)}` };
    expect(config(text, secrets).projects.map(({ name }) => name)).toEqual(['docs', 'handbook']);
  });
});

describe('the projects of the runner', () => {
  const env = { DOCS_AGENT_CONFIG: PATH, RUNNER_API_KEY: 'the-key', RUNNER_COMMAND: 'opencode acp' };
  const parse = (text: string, more: Record<string, string> = {}) =>
    parseRunnerConfig({ ...env, ...more }, withFile(text)).projects;
  const wrongs = (text: string, more: Record<string, string> = {}) => {
    try {
      return parse(text, more);
    } catch (error) {
      return (error as ConfigError).problems.map(({ message }) => message);
    }
  };

  test('are those of the file, whose gaps the settings fill', () => {
    const text = [
      'projects:',
      '  - { id: one, repository: https://github.com/acme/one, branch: next, command: "gemini --acp", paths: [docs/**, "*.md"] }',
      '  - { id: two, repository: git@github.com:acme/two.git }',
      '  - { id: three, branch: old, paths: [] }',
      '  - { id: four }',
      'admins: [U0001]',
      'recipes: [{ name: release, channel: C0001, request: R, webhook: { secret_env: NOT_HERE } }]',
    ].join('\n');
    const more = {
      RUNNER_REPOSITORY: '/srv/docs.git',
      RUNNER_BRANCH: 'main',
      RUNNER_PATHS: 'docs/**',
      RUNNER_CODE_HOST_REPOSITORY: 'acme/docs',
    };
    const given = {
      branch: null,
      command: ['opencode', 'acp'],
      paths: ['docs/**'],
      codeHostRepository: null,
    };
    const own = { ...given, repository: '/srv/docs.git', codeHostRepository: 'acme/docs' };
    expect(parse(text, more)).toEqual([
      {
        ...{ ...given, id: 'one', repository: 'https://github.com/acme/one', branch: 'next' },
        ...{ command: ['gemini', '--acp'], paths: ['docs/**', '*.md'] },
      },
      { ...given, id: 'two', repository: 'git@github.com:acme/two.git' },
      { ...own, id: 'three', branch: 'old', paths: [] },
      { ...own, id: 'four', branch: 'main' },
    ]);
    expect(parse('admins: [U0001]', more)).toEqual([{ ...own, id: 'docs', branch: 'main' }]);
  });

  test('are told with their lines, where something is missing or wrong', () => {
    const text = [
      'projects:',
      '  - id: one',
      '    repository: https://alice:hunter2@example.com/one',
      '  - id: two',
    ].join('\n');
    expect(wrongs(text)).toEqual([
      'line 3: projects[0].repository must not hold a password: set the token of its code host',
    ]);
    const twice = [
      'projects:',
      '  - { id: one, repository: /srv/one.git }',
      '  - id: one',
      '    api_key_env: ONE_KEY',
    ].join('\n');
    expect(wrongs(twice)).toEqual([
      'line 3: projects[1].id is the same as in projects[0]',
      'line 3: projects[1].id is also the name of another project',
      'line 3: projects[1].repository is missing: set it, or RUNNER_REPOSITORY for all projects',
      'line 4: projects[1].api_key_env does not go with the runner: RUNNER_API_KEY is its only key',
    ]);
    expect(wrongs('projects: []')).toEqual(['is missing']);
    expect(wrongs('projects: [{ id: one, repository: /srv/one.git }]', { RUNNER_COMMAND: '' })).toEqual([
      'line 1: projects[0].command is missing: set it, or RUNNER_COMMAND for all projects',
    ]);
  });
});

describe('what is wrong in the file', () => {
  test('is reported with its line, all of it at once', () => {
    const text = [
      'projects:',
      '  - id: docs',
      '    nmae: handbook',
      '  - name: two words',
      'channels:',
      '  general: {}',
      '  C0001:',
      '    project: elsewhere',
      '    follow_up_window: 4 s',
      '    approvers: []',
      '    reaction: eyes',
      '  C0002: { reaction: "two words" }',
      'access:',
      '  guests: sometimes',
      '  bots: [B0001]',
      'admins: U0001',
    ].join('\n');
    expect(messages(text)).toEqual([
      'DOCS_AGENT_CONFIG line 3: projects[0].nmae is not a setting of this file: did you mean name?',
      'DOCS_AGENT_CONFIG line 4: projects[1].id is missing',
      'DOCS_AGENT_CONFIG line 4: projects[1].name must be one word of letters, digits, ".", "_" and "-"',
      'DOCS_AGENT_CONFIG line 6: channels.general must be the id of a channel (C… or G…): in Slack, click the channel\'s name, "About": it is at the bottom',
      'DOCS_AGENT_CONFIG line 9: channels.C0001.follow_up_window must be a duration with a unit: ms, s, m, h or d',
      'DOCS_AGENT_CONFIG line 10: channels.C0001.approvers must name at least one person',
      'DOCS_AGENT_CONFIG line 11: channels.C0001.reaction is an emoji that docs-agent itself adds to messages: choose another',
      'DOCS_AGENT_CONFIG line 12: channels.C0002.reaction must be the name of an emoji, such as memo',
      'DOCS_AGENT_CONFIG line 14: access.guests must be true or false',
      'DOCS_AGENT_CONFIG line 15: access.bots[0] must be the id of an app (A…): https://api.slack.com/apps, "Basic Information"',
      'DOCS_AGENT_CONFIG line 16: admins must be a list',
    ]);
  });

  test('is what no form in Slack could show: too long a name, too many to choose from (S2, A3)', () => {
    const list = (count: number, one: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => one(i));
    const settings = (length: number, projects: number, channels: number) =>
      [
        `projects: [{ id: ${'i'.repeat(length)}, name: ${'n'.repeat(length)} }, ${list(projects - 1, (i) => `{ id: p${i} }`).join()}]`,
        `channels: { C0001: { notice_channels: [${list(channels, (i) => `C1${i}`).join()}] } }`,
      ].join('\n');
    expect(config(settings(75, 100, 10)).projects).toHaveLength(100);
    expect(messages(settings(75, 101, 10))).toEqual([
      'DOCS_AGENT_CONFIG line 1: projects must be at most 100',
    ]);
    expect(messages(settings(76, 1, 11))).toEqual([
      'DOCS_AGENT_CONFIG line 1: projects[0].id must have at most 75 characters',
      'DOCS_AGENT_CONFIG line 1: projects[0].name must have at most 75 characters',
      'DOCS_AGENT_CONFIG line 2: channels.C0001.notice_channels must be at most 10',
    ]);
  });

  test.each([
    ['projects: [', 1],
    ['projects:\n  - id: docs\n admins: []', 3],
    ['admins: []\nadmins: []', 2],
  ])('%j is no YAML', (text, line) => {
    expect(messages(text)).toEqual([expect.stringMatching(new RegExp(`^DOCS_AGENT_CONFIG line ${line}: `))]);
  });

  test.each([
    ['projects: [{ id: a }, { id: a }]', 'line 1: projects[1].id is the same as in projects[0]'],
    [
      'projects: [{ id: a }, { id: b, name: A }]',
      'line 1: projects[1].name is also the name of another project',
    ],
    [
      'projects: [{ id: a }]\nchannels: { C0001: { project: b } }',
      'line 2: channels.C0001.project is not one of the projects (a)',
    ],
  ])('%j contradicts itself', (text, message) => {
    expect(messages(text)).toContainEqual(`DOCS_AGENT_CONFIG ${message}`);
  });

  test('a file that is not there, a key that is missing, a project that is not listed: one problem each', () => {
    const text = 'projects: [{ id: a, api_key_env: KEY_OF_A }]';
    const env = { ...required, AGENT_PROJECT_ID: undefined, DOCS_AGENT_CONFIG: '/secret/place' };
    expect(formatProblems(errorOf(env, noFiles))).toBe(
      'DOCS_AGENT_CONFIG names a file that cannot be read (ENOENT). Example: docs-agent.example.yml',
    );
    expect(problems(text)).toEqual([
      {
        variable: 'KEY_OF_A',
        message: 'is missing (the key of the project a)',
        example: 'KEY_OF_A=the-key-of-a',
      },
    ]);
    expect(problems(text, { KEY_OF_A: 'k', AGENT_PROJECT_ID: 'b' })).toEqual([
      {
        variable: 'AGENT_PROJECT_ID',
        message: 'is not one of the projects that DOCS_AGENT_CONFIG lists',
        example: 'AGENT_PROJECT_ID=a',
      },
    ]);
  });
});
