import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { recipesIn } from '../../../src/features/recipes/recipe.ts';
import { errorOf, noFiles, oauth, required } from '../../support/settings.ts';

const PATH = './docs-agent.yml';
const readFile = (text: string) => (path: string) => (path === PATH ? text : noFiles(path));
const byHand = { ...required, AGENT_PROJECT_ID: undefined, DOCS_AGENT_CONFIG: PATH };
const many = { ...byHand, SLACK_BOT_TOKEN: undefined, ...oauth };
const messages = (env: Record<string, string | undefined>, text = 'projects: [{ id: docs }]') =>
  errorOf(env, readFile(text)).problems.map(({ variable, message }) => `${variable} ${message}`);

describe('the settings of OAuth', () => {
  test('take the place of the bot token, and the first key encrypts', () => {
    const keys = `new:${'A'.repeat(43)}=, old:${'B'.repeat(42)}A=`;
    const config = parseConfig({ ...many, TOKEN_ENCRYPTION_KEY: keys }, readFile('projects: [{ id: docs }]'));
    expect(config.slack.installing).toMatchObject({
      kind: 'oauth',
      clientId: '12.34',
      encryptionKeys: [{ id: 'new' }, { id: 'old' }],
    });
    expect(JSON.stringify(config)).not.toContain('AAAA');
  });

  test.each(['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET', 'TOKEN_ENCRYPTION_KEY'])(
    'without %s the others are said to need it',
    (name) => {
      const [problem, ...others] = messages({ ...many, [name]: undefined });
      expect(others).toEqual([]);
      expect(problem).toMatch(new RegExp(`^${name} is missing: .* need it$`));
    },
  );

  test.each([
    ['is no key at all', 'secret'],
    ['has no name', `${'A'.repeat(43)}=`],
    ['is too short', `k1:${'A'.repeat(23)}=`],
    ['has two keys named the same', `k1:${'A'.repeat(43)}=,k1:${'B'.repeat(42)}A=`],
    ['ends with a comma', `k1:${'A'.repeat(43)}=,`],
  ])('a TOKEN_ENCRYPTION_KEY that %s is refused, and not shown', (_what, keys) => {
    const [problem, ...others] = messages({ ...many, TOKEN_ENCRYPTION_KEY: keys });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^TOKEN_ENCRYPTION_KEY /);
    expect(problem).not.toContain(keys);
  });
});

describe('the workspaces of the file', () => {
  const text = [
    'projects:',
    '  - { id: acme-docs, name: docs }',
    '  - { id: beta-docs, name: beta }',
    'workspaces:',
    '  T0001:',
    '    projects: [beta, docs]',
    '    channels: { C0001: { project: docs } }',
    '    access: { users: [U0001] }',
    '    admins: [U0002]',
    '    notice_channels: [C0002]',
  ].join('\n');

  test('have their projects, the default first, and what else is set for them', () => {
    const { workspaces } = parseConfig(many, readFile(text));
    expect(workspaces.get('T0001')).toMatchObject({
      projects: [{ id: 'beta-docs' }, { id: 'acme-docs' }],
      access: { users: new Set(['U0001']), admins: new Set(['U0002']) },
      noticeChannels: ['C0002'],
    });
    expect(workspaces.get('T0001')?.channels.get('C0001')?.projectName).toBe('docs');
  });

  test('need OAuth', () => {
    expect(messages(byHand, text)).toEqual([
      'DOCS_AGENT_CONFIG line 4: workspaces needs the OAuth settings (SLACK_CLIENT_ID and others): a bot token belongs to one workspace',
    ]);
  });

  test('say themselves what names people and channels; elsewhere it is refused, with its line', () => {
    const lines = [
      'projects:',
      '  - { id: docs, notice_channels: [C0001] }',
      'channels: {}',
      'access: {}',
      'admins: [U0001]',
    ].join('\n');
    expect(messages(many, lines).map((message) => message.split(' belongs')[0])).toEqual([
      'DOCS_AGENT_CONFIG line 2: projects[0].notice_channels',
      'DOCS_AGENT_CONFIG line 3: channels',
      'DOCS_AGENT_CONFIG line 4: access',
      'DOCS_AGENT_CONFIG line 5: admins',
    ]);
  });

  test('name projects that there are, each once, and channels only those of their workspace', () => {
    const lines = [
      'projects: [{ id: docs }, { id: api }]',
      'workspaces:',
      '  T0001: { projects: [docs, docs, gone] }',
      '  T0002: { projects: [docs], channels: { C0001: { project: api } } }',
      '  T0003: { projects: [] }',
    ];
    expect(messages(many, lines.slice(0, 4).join('\n'))).toEqual([
      'DOCS_AGENT_CONFIG line 3: workspaces.T0001.projects[1] is named twice',
      'DOCS_AGENT_CONFIG line 3: workspaces.T0001.projects[2] is not one of the projects (docs, api)',
      'DOCS_AGENT_CONFIG line 4: workspaces.T0002.channels.C0001.project is not one of the projects (docs)',
    ]);
    expect(messages(many, lines.join('\n'))).toEqual([
      'DOCS_AGENT_CONFIG line 5: workspaces.T0003.projects must name at least one project',
    ]);
    expect(messages(many, 'projects: [{ id: docs }]\nworkspaces: { acme: { projects: [docs] } }')).toEqual([
      "DOCS_AGENT_CONFIG line 2: workspaces.acme must be the id of a workspace (T…): it is in Slack's address in a browser, after app.slack.com/client/",
    ]);
  });
});

describe('recipes of many workspaces (T3)', () => {
  const recipe = (more: string) =>
    `{ name: notes, channel: C0001, request: Go, webhook: { secret_env: ${more} } }`;
  const text = (first: string, second: string) =>
    [
      'projects: [{ id: docs }]',
      'workspaces:',
      '  T0001:',
      '    projects: [docs]',
      `    recipes: [${first}]`,
      '  T0002:',
      '    projects: [docs]',
      `    recipes: [${second}]`,
    ].join('\n');

  test('belong to their workspace, and so does a webhook', () => {
    const env = { ...many, HOOK_SECRET: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    const { workspaces, featureSecrets } = parseConfig(env, readFile(text(recipe('HOOK_SECRET'), '')));
    expect(recipesIn(workspaces.get('T0001')?.featureSettings ?? {})).toMatchObject([
      { name: 'notes', channelId: 'C0001', secretVariable: 'HOOK_SECRET' },
    ]);
    expect([...featureSecrets.keys()]).toEqual(['HOOK_SECRET']);
  });

  test('may not share the name of a webhook, whose address names no workspace', () => {
    expect(messages(many, text(recipe('ONE_SECRET'), recipe('OTHER_SECRET')))).toContainEqual(
      'DOCS_AGENT_CONFIG line 8: workspaces.T0002.recipes[0].name has a webhook, but so does the recipe of this name in another workspace',
    );
  });
});
