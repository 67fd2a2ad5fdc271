import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { recipesIn } from '../../../src/features/recipes/recipe.ts';
import { digestIn } from '../../../src/features/reports/digest.ts';
import { errorOf, noFiles, required } from '../../support/settings.ts';

const PATH = './docs-agent.yml';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
type Env = Record<string, string | undefined>;
const withFile = (text: string) => (path: string) => (path === PATH ? text : noFiles(path));
const env = (more: Env) => ({ ...required, AGENT_PROJECT_ID: 'docs', DOCS_AGENT_CONFIG: PATH, ...more });
const config = (text: string, more: Env = {}) => parseConfig(env(more), withFile(text));
const problems = (text: string, more: Env = {}) => errorOf(env(more), withFile(text)).problems;
const messages = (text: string, more: Env = {}) =>
  problems(text, more).map(({ variable, message }) => `${variable} ${message}`);
/** A file with this one recipe, in its third line. */
const one = (more: string) =>
  `projects: [{ id: docs }]\nrecipes:\n  - { name: notes, channel: C0001, request: "Document {version}", ${more} }`;

describe('recipes in the file of DOCS_AGENT_CONFIG (T3)', () => {
  test('say what to ask for, where, with what, and when', () => {
    const text = [
      'recipes:',
      '  - name: weekly-review',
      '    project: docs',
      '    channel: C0123456789',
      '    request: "Check the screenshots of {page}"',
      '    values: { page: quickstart }',
      '    schedule: "0 9 * * 1"',
      '    zone: Europe/Berlin',
      '  - { name: release-notes, channel: C1, request: "Document {version}", draft: true }',
      'projects: [{ id: docs }]',
    ].join('\n');
    expect(recipesIn(config(text.replace('C1,', 'C01,')).featureSettings)).toEqual([
      {
        name: 'weekly-review',
        projectName: 'docs',
        channelId: 'C0123456789',
        request: 'Check the screenshots of {page}',
        values: new Map([['page', 'quickstart']]),
        schedule: { cron: '0 9 * * 1', zone: 'Europe/Berlin' },
        isDraft: false,
        owners: [],
      },
      expect.objectContaining({
        name: 'release-notes',
        projectName: undefined,
        schedule: null,
        isDraft: true,
      }),
    ]);
  });

  test('reach the agent without control characters, as all requests do (E3)', () => {
    const text =
      'recipes:\n  - { name: a, channel: C0001, request: "A\\0B {v}\\x1b", values: { v: "1\\0.2" } }';
    const [recipe] = recipesIn(config(text).featureSettings);
    expect(recipe).toMatchObject({ request: 'AB {v}', values: new Map([['v', '1.2']]) });
  });

  test('belong to those that they name, else to the administrators', () => {
    const ownersOf = (more: string) =>
      recipesIn(config(`admins: [U01]\n${one(`values: { version: "2" }${more}`)}`).featureSettings)[0]
        ?.owners;
    expect([ownersOf(', owners: [U02, W03]'), ownersOf('')]).toEqual([['U02', 'W03'], ['U01']]);
  });

  test.each([
    ['values: { version: 2 }', 'recipes[0].values.version must be text'],
    [
      'owners: [alice]',
      'recipes[0].owners[0] must be the id of a user (U… or W…): in Slack, open the profile, ⋮, "Copy member ID"',
    ],
    ['owners: []', 'recipes[0].owners must name at least one person'],
    ['values: { vrsion: "2" }', 'recipes[0].values.vrsion is not a placeholder in the request'],
    ['values: { version: "2\\n3" }', 'recipes[0].values.version must be one line'],
    ['values: { version: " " }', 'recipes[0].values.version is empty'],
    [
      'schedule: "0 9 * * 1"',
      'recipes[0].schedule needs a value for {version} under values: a schedule has nobody to ask',
    ],
    [
      'values: { version: "2" }, schedule: "every Monday"',
      'recipes[0].schedule must be a five-field cron expression, such as "0 9 * * 1" for Mondays at nine',
    ],
    [
      'values: { version: "2" }, schedule: "0 0 30 2 *"',
      'recipes[0].schedule never comes: there is no such date',
    ],
    [
      'values: { version: "2" }, schedule: "0 9 * * 1", zone: Berlin',
      'recipes[0].zone is not a time zone such as Europe/Berlin',
    ],
    ['zone: Europe/Berlin', 'recipes[0].zone has no effect without a schedule'],
    ['project: api', 'recipes[0].project is not one of the projects (docs)'],
    ['draft: sometimes', 'recipes[0].draft must be true or false'],
    ['webhook: {}', 'recipes[0].webhook.secret_env is missing'],
    ['shedule: "0 9 * * 1"', 'recipes[0].shedule is not a setting of this file: did you mean schedule?'],
    [
      'webhook: { secret_env: whsec_abc }',
      'recipes[0].webhook.secret_env must be the name of an environment variable, not the secret itself',
    ],
  ])('%s: %s', (more, message) => {
    expect(messages(one(more))).toEqual([`DOCS_AGENT_CONFIG line 3: ${message}`]);
  });

  test('names, requests and channels that cannot be are reported with their lines', () => {
    const text = [
      'recipes:',
      '  - { name: Weekly Review, channel: C0001, request: a }',
      '  - { name: a, channel: general, request: a }',
      '  - { name: b, channel: C0001, request: " " }',
    ].join('\n');
    expect(messages(text)).toEqual([
      'DOCS_AGENT_CONFIG line 2: recipes[0].name must be one word of lowercase letters, digits, "-" and "_"',
      'DOCS_AGENT_CONFIG line 3: recipes[1].channel must be the id of a channel (C… or G…): in Slack, click the channel\'s name, "About": it is at the bottom',
      'DOCS_AGENT_CONFIG line 4: recipes[2].request is empty',
    ]);
    const contradicting = [
      'recipes:',
      '  - { name: a, channel: C0001, request: "Document {version" }',
      '  - { name: a, channel: C0001, request: b }',
    ].join('\n');
    expect(messages(contradicting)).toEqual([
      'DOCS_AGENT_CONFIG line 2: recipes[0].request has a brace that is not part of a placeholder: write {name}, with at most 100 letters, digits and "_"',
      'DOCS_AGENT_CONFIG line 3: recipes[1].name is also the name of another recipe',
    ]);
  });

  test('have no more placeholders than a form has room for, nor longer names', () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => `{p${index}}`).join(' ');
    const file = (request: string) => `recipes:\n  - { name: a, channel: C0001, request: "${request}" }`;
    expect(recipesIn(config(file(`${numbered(49)} {${'p'.repeat(100)}}`)).featureSettings)).toHaveLength(1);
    expect(messages(file(`${numbered(51)} {${'p'.repeat(101)}}`))).toEqual([
      'DOCS_AGENT_CONFIG line 2: recipes[0].request has a brace that is not part of a placeholder: write {name}, with at most 100 letters, digits and "_"',
      'DOCS_AGENT_CONFIG line 2: recipes[0].request must have at most 50 placeholders',
    ]);
  });
});

describe('the secret of a webhook (T3)', () => {
  const text = one('webhook: { secret_env: HOOK_SECRET }');
  const secretsIn = (more: Env) =>
    config(text, more)
      .featureSecrets.get('HOOK_SECRET')
      ?.map((key) => key.export().toString('base64'));

  test('stands in a variable or a file, with whsec_ or without, and may be several while it is changed', () => {
    const bare = SECRET.slice('whsec_'.length);
    expect(secretsIn({ HOOK_SECRET: SECRET })).toEqual([bare]);
    expect(secretsIn({ HOOK_SECRET: ` ${bare}  ${SECRET}\n` })).toEqual([bare, bare]);
    const files = (path: string) => (path === '/run/hook' ? `${SECRET}\n` : withFile(text)(path));
    const { featureSecrets, ignored } = parseConfig(env({ HOOK_SECRET_FILE: '/run/hook' }), files);
    expect(featureSecrets.get('HOOK_SECRET')).toHaveLength(1);
    expect(ignored).toEqual([]);
  });

  test('is missed by the name of its variable, and its recipe', () => {
    expect(messages(text)).toEqual(['HOOK_SECRET is missing (the webhook of the recipe notes)']);
  });

  test.each(['none', 'recipes: none', 'recipes: [none]', 'workspaces: none'])(
    'is not missed where the file says nothing of it: %s',
    (text) => {
      expect(problems(text).map(({ variable }) => variable)).toEqual(['DOCS_AGENT_CONFIG']);
    },
  );

  test.each(['changeme', 'dG9vIHNob3J0', `${SECRET} whsec_`, 'A'.repeat(100)])(
    '%s is none, and is not shown',
    (HOOK_SECRET) => {
      expect(messages(text, { HOOK_SECRET })).toEqual([
        'HOOK_SECRET must be 24 to 64 bytes in base64 ("openssl rand -base64 32"), with or without whsec_ in front; separate several with spaces (the webhook of the recipe notes)',
      ]);
      expect(JSON.stringify(problems(text, { HOOK_SECRET }))).not.toContain(HOOK_SECRET);
    },
  );
});

describe('the digest in the file of DOCS_AGENT_CONFIG (L4)', () => {
  test('says where and when; UTC unless it names a zone', () => {
    const digestOf = (text: string) => digestIn(config(text).featureSettings);
    const found = digestOf('projects: [{ id: docs }]\ndigest: { channel: C0001, schedule: "0 9 * * 1" }');
    expect(found).toEqual({ channelId: 'C0001', schedule: { cron: '0 9 * * 1', zone: 'UTC' } });
    expect(digestOf('projects: [{ id: docs }]')).toBeNull();
  });

  test.each([
    ['schedule: weekly', 'digest.schedule must be a five-field cron expression'],
    ['schedule: "0 0 30 2 *"', 'digest.schedule never comes: there is no such date'],
    ['schedule: "0 9 * * 1", zone: Berlin', 'digest.zone is not a time zone such as Europe/Berlin'],
  ])('%s is a mistake, with its line', (more, message) => {
    const [found] = messages(`projects: [{ id: docs }]\ndigest: { channel: C0001, ${more} }`);
    expect(found).toContain(message);
    expect(found).toMatch(/line 2/);
  });
});
