import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const configFile = [
  'projects: [{ id: acme-docs }]',
  'recipes:',
  `  - { name: weekly-review, channel: ${general}, request: "Check the screenshots of {page}", values: { page: quickstart } }`,
  `  - { name: release-notes, channel: ${general}, request: "Document {version} of {product}", values: { product: API } }`,
  `  - { name: proposal, channel: ${general}, request: Propose, draft: true }`,
  `  - { name: screenshots, channel: ${general}, request: Renew the screenshots, schedule: "0 9 * * 1", zone: Europe/Berlin }`,
].join('\n');

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld({ configFile });
});
afterEach(() => world[Symbol.asyncDispose]());

const command = (text: string, channel = general) =>
  world.slack.control.command({ channel, user: alice, text });

describe('the list of recipes (S2, T3)', () => {
  test.each(['recipes', 'run'])('has a button that runs each: %s', async (word) => {
    await command(word);
    const list = await world.sentPrivately(general, '*Recipes*');
    expect(list.text).toContain('*screenshots*, Mondays 9:00\n[Run]');
    await world.slack.control.press(list, 'run_recipe', alice, 'weekly-review');
    await world.started('Check the screenshots of "quickstart"');
  });
});

describe('`/docs-agent run` (T3)', () => {
  test('starts a recipe in the name of whoever runs it', async () => {
    await command('run Weekly-Review');
    await world.started('Check the screenshots of "quickstart"');
    const card = await world.seen(general, ({ text }) => text.includes('Check the screenshots'));
    expect(card.text).toContain('asked by alice');
    expect(card.text).not.toContain('recipe');
  });

  test('is in the help, with a recipe that there is', async () => {
    await command('help');
    await world.sentPrivately(general, '• *Recipes:* `/docs-agent run weekly-review`');
  });

  test('in another channel says where it starts', async () => {
    await command('run weekly-review', random);
    await world.sentPrivately(random, `*Starting weekly-review* in <#${general}>`);
    await world.started('Check the screenshots of "quickstart"');
  });

  test.each([2, 3, 4])(
    'starts it once, however often Slack delivers the command: %i times',
    async (copies) => {
      world.slack.onDelivery(() => copies);
      await command('run weekly-review');
      await world.started('Check the screenshots of "quickstart"');
      await world.settled();
      const answers = world.slack.deliveries().filter(({ kind }) => kind === 'command');
      expect(answers.map(({ answer }) => answer)).toEqual(Array(copies).fill({}));
      expect(world.prompts()).toHaveLength(1);
      const messages = await world.slack.control.messages(general);
      expect(messages.filter(({ text }) => text.includes('Check the screenshots'))).toHaveLength(1);
    },
  );

  test('tells whoever runs it privately that its last job is open', async () => {
    await command('run weekly-review');
    await world.started('Check the screenshots of "quickstart"');
    await command('run weekly-review');
    await world.sentPrivately(general, '*Skipped weekly-review:* its last job is still open.');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('asks for missing values in a form, and says at the field what is wrong with one', async () => {
    await command('run release-notes');
    const submit = (value: string) =>
      world.slack.control.submit(alice, { value_version: value, value_product: 'API' });
    expect((await submit(' ')).errors).toEqual({ value_version: 'The value is empty.' });
    expect(world.prompts()).toEqual([]);
    expect((await submit('2.1 "beta" <!channel>')).errors).toBeNull();
    await world.started(`Document "2.1 'beta' <!channel>" of "API"`);
    const card = await world.seen(general, ({ text }) => text.includes('Document'));
    expect(card.text).not.toContain('<!channel>');
  });

  test('makes a draft of a recipe that is to be one', async () => {
    await command('run proposal');
    await world.seen(general, ({ text }) => text.includes('*Draft*'));
    expect(world.prompts()).toEqual([]);
  });

  test('knows the recipes that there are, and leaves everything else a request', async () => {
    await command('run nonsense');
    await world.sentPrivately(
      general,
      "There's no recipe “nonsense”. Available: weekly-review, release-notes, proposal, screenshots.",
    );
    await command('run the linter over all pages');
    await world.started('run the linter over all pages');
    await world.slack.control.message({ channel: general, user: bob, text: '<@U0DOCSAGENT> run proposal' });
    await world.sentPrivately(general, 'Type it as a command: `/docs-agent run proposal`');
  });
});

describe('the form of `/docs-agent` (T3)', () => {
  const submit = (values: Record<string, string>) => world.slack.control.submit(alice, values);
  const shown = () => JSON.stringify(world.slack.control.modal(alice)?.blocks);

  test('offers the recipes, and asks for the values of the one that is chosen', async () => {
    await command('', random);
    expect(shown()).toContain('Or run a recipe');
    expect((await submit({ recipe: 'release-notes' })).errors).toBeNull();
    expect(shown()).toContain('Document {version} of {product}');
    expect((await submit({ value_version: '2.1', value_product: 'API' })).errors).toBeNull();
    await world.started('Document "2.1" of "API"');
  });

  test('shows a value of 500 emoji, which Slack may count as more', async () => {
    await world.restart(configFile.replace('page: quickstart', `page: "${'😀'.repeat(500)}"`));
    await command('');
    expect((await submit({ recipe: 'weekly-review' })).errors).toBeNull();
    expect((await submit({})).errors).toBeNull();
    await world.started(`Check the screenshots of "${'😀'.repeat(500)}"`);
  });

  test('shows the values that a recipe has, so that another can be written', async () => {
    await command('');
    expect((await submit({ recipe: 'weekly-review' })).errors).toBeNull();
    expect(shown()).toContain('"initial_value":"quickstart"');
    expect((await submit({ value_page: 'limits' })).errors).toBeNull();
    await world.started('Check the screenshots of "limits"');
  });

  test.each([1, 2, 4])(
    'runs the one that is chosen once, delivered %i times; then says that it is open',
    async (copies) => {
      await command('');
      world.slack.onDelivery(() => copies);
      expect((await submit({ recipe: 'screenshots' })).errors).toBeNull();
      await world.started('Renew the screenshots');
      await world.settled();
      expect(world.prompts()).toHaveLength(1);
      const answers = world.slack.deliveries().filter(({ kind }) => kind === 'action');
      expect(answers.map(({ answer }) => answer)).toEqual(Array(copies).fill(answers[0]?.answer));
      world.slack.onDelivery(() => 1);
      await command('');
      expect((await submit({ recipe: 'screenshots' })).errors).toEqual({
        recipe: '⏭️ Skipped screenshots: its last job is still open.',
      });
    },
  );

  test('runs one without values at once, and says at its field why it does not', async () => {
    await command('');
    expect((await submit({ prompt: ' ' })).errors?.prompt).toContain('Write what should change.');
    expect((await submit({ recipe: 'proposal', prompt: 'Fix the typos' })).errors).toEqual({
      recipe: 'Choose a recipe or write a request, not both.',
    });
    expect((await submit({ recipe: 'proposal', prompt: '' })).errors).toBeNull();
    await world.seen(general, ({ text }) => text.includes('*Draft*'));
    expect(world.prompts()).toEqual([]);
  });
});

test('*Start a job* at home offers recipes, which need no channel; a request does (T3, L2)', async () => {
  const { control } = world.slack;
  const opened = async () => {
    await control.openHome(alice);
    const home = () => JSON.stringify(control.home(alice)?.blocks ?? []);
    await world.later(home, includes('start_job'), 'the home');
    await control.pressInView(alice, 'start_job');
    const form = () => JSON.stringify(control.modal(alice)?.blocks ?? []);
    await world.later(form, includes('Or run a recipe'), 'the form');
  };
  await opened();
  expect((await control.submit(alice, { recipe: 'screenshots' })).errors).toBeNull();
  await world.started('Renew the screenshots');
  await opened();
  expect((await control.submit(alice, { prompt: 'Fix the typos' })).errors).toHaveProperty('channel');
});

test('without recipes, `run` is a word like any other (T3, S2)', async () => {
  await using plain = await startStrictWorld();
  await plain.slack.control.command({ channel: general, user: alice, text: 'run benchmarks' });
  await plain.started('run benchmarks');
});

test('only the recipes of channels in which the person may ask are offered, and run (T3, A1)', async () => {
  const recipes = [
    `  - { name: here, channel: ${general}, request: Go }`,
    `  - { name: elsewhere, channel: ${random}, request: Go }`,
    `  - { name: launch, channel: ${random}, request: "Announce {product}" }`,
  ];
  const access = `access: { channels: [${general}] }`;
  const file = ['projects: [{ id: acme-docs }]', access, 'recipes:', ...recipes].join('\n');
  await using limited = await startStrictWorld({ configFile: file });
  const { control } = limited.slack;
  await control.command({ channel: general, user: alice, text: '' });
  const shown = JSON.stringify(control.modal(alice)?.blocks);
  expect(shown).toContain('"here"');
  expect(shown).not.toContain('"elsewhere"');
  await control.command({ channel: general, user: alice, text: 'run elsewhere' });
  await limited.sentPrivately(general, 'only certain channels');
  expect(limited.prompts()).toEqual([]);
  // Neither a form nor an answer says what they are.
  const { payload } = await control.command({ channel: general, user: alice, text: 'run launch' });
  expect(JSON.stringify(payload)).toContain('only certain channels');
  expect(JSON.stringify(control.modal(alice))).not.toContain('Announce');
  await control.command({ channel: general, user: alice, text: 'run lunch' });
  expect((await limited.sentPrivately(general, 'no recipe “lunch”')).text).toContain('Available: here. To');
  await limited.restart(file.replace(/.*name: here.*\n/, ''));
  await control.command({ channel: general, user: alice, text: 'run brunch' });
  expect((await limited.sentPrivately(general, 'no recipe “brunch”')).text).toContain('“brunch”. To send');
});
