import { describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const configFile = [
  'projects: [{ id: acme-docs }]',
  'recipes:',
  `  - { name: weekly-review, channel: ${general}, request: "Check the screenshots of {page}", values: { page: quickstart } }`,
  `  - { name: release-notes, channel: ${general}, request: "Document {version} of {product}", values: { product: API } }`,
  `  - { name: proposal, channel: ${general}, request: Propose, draft: true }`,
  `  - { name: screenshots, channel: ${general}, request: Renew the screenshots, schedule: "0 9 * * 1", zone: Europe/Berlin }`,
].join('\n');
const PROMPT = 'Check the screenshots of "quickstart"';

const start = (file = configFile) => startStrictWorld({ configFile: file });

describe('`/docs-agent run` (T3)', () => {
  test('starts a recipe once, in the name of whoever runs it, says where, and privately that its last job is open', async () => {
    await using world = await start();
    await world.command('help');
    await world.sentPrivately(general, '• *Recipes:* `/docs-agent run weekly-review`');
    world.slack.onDelivery(() => 3);
    await world.command('run Weekly-Review', alice, random);
    await world.started(PROMPT);
    await world.sentPrivately(random, `*Starting weekly-review* in <#${general}>`);
    await world.settled();
    const cards = (await world.slack.control.messages(general)).filter(({ text }) =>
      text.includes('Check the'),
    );
    expect(cards).toEqual([expect.objectContaining({ text: expect.stringContaining('asked by alice') })]);
    expect(cards[0]?.text).not.toContain('recipe');
    const answers = () => JSON.stringify(world.slack.deliveries().map(({ answer }) => answer));
    expect(answers()).not.toContain('Skipped');
    await world.command('run weekly-review');
    await world.sentPrivately(general, '*Skipped weekly-review:* its last job is still open.');
    await world.command('run proposal');
    await world.seen(general, ({ text }) => text.includes('*Draft*'));
    await world.settled();
    expect(world.prompts()).toEqual([[PROMPT]]);
  });

  test.each(['recipes', 'run'])('the list of recipes has a button that runs each: %s (S2)', async (word) => {
    await using world = await start();
    await world.command(word);
    const list = await world.sentPrivately(general, '*Recipes*');
    expect(list.text).toContain('*screenshots*, Mondays 9:00\n[Run]');
    await world.slack.control.press(list, 'run_recipe', alice, 'weekly-review');
    await world.started(PROMPT);
  });

  test('asks for missing values in a form, and says at the field what is wrong with one', async () => {
    await using world = await start();
    await world.command('run release-notes');
    const submit = (value: string) => world.submit({ value_version: value, value_product: 'API' });
    expect(await submit(' ')).toEqual({ value_version: 'The value is empty.' });
    expect(world.prompts()).toEqual([]);
    expect(await submit('2.1 "beta" <!channel>')).toBeNull();
    await world.started(`Document "2.1 'beta' <!channel>" of "API"`);
    const card = await world.seen(general, ({ text }) => text.includes('Document'));
    expect(card.text).not.toContain('<!channel>');
  });

  test('knows the recipes that there are, and leaves everything else a request', async () => {
    await using world = await start();
    await world.command('run nonsense');
    await world.sentPrivately(
      general,
      "There's no recipe “nonsense”. Available: weekly-review, release-notes, proposal, screenshots.",
    );
    await world.command('run the linter over all pages');
    await world.started('run the linter over all pages');
    await world.say('<@U0DOCSAGENT> run proposal', { user: bob });
    await world.sentPrivately(general, 'Type it as a command: `/docs-agent run proposal`');
    await world.restart('projects: [{ id: acme-docs }]');
    await world.command('run benchmarks');
    await world.started('run benchmarks');
  });
});

describe('the form of `/docs-agent` (T3)', () => {
  test('offers the recipes, asks for the values of the one that is chosen, and shows those that it has', async () => {
    await using world = await start();
    await world.command('', alice, random);
    expect(world.form()).toContain('Or run a recipe');
    expect(await world.submit({ recipe: 'release-notes' })).toBeNull();
    expect(world.form()).toContain('Document {version} of {product}');
    expect(await world.submit({ value_version: '2.1', value_product: 'API' })).toBeNull();
    await world.started('Document "2.1" of "API"');
    await world.command('');
    expect(await world.submit({ recipe: 'weekly-review' })).toBeNull();
    expect(world.form()).toContain('"initial_value":"quickstart"');
    // Slack may count an emoji as more.
    const page = '😀'.repeat(500);
    expect(await world.submit({ value_page: page })).toBeNull();
    await world.started(`Check the screenshots of "${page}"`);
  });

  test('runs one without values at once, however often it is delivered, and says at its field why it does not', async () => {
    await using world = await start();
    await world.command('');
    expect((await world.submit({ prompt: ' ' }))?.prompt).toContain('Write what should change.');
    expect(await world.submit({ recipe: 'screenshots', prompt: 'Fix the typos' })).toEqual({
      recipe: 'Choose a recipe or write a request, not both.',
    });
    world.slack.onDelivery(() => 3);
    expect(await world.submit({ recipe: 'screenshots', prompt: '' })).toBeNull();
    world.slack.onDelivery(() => 1);
    await world.started('Renew the screenshots');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    const copies = world.slack
      .deliveries()
      .filter(({ kind }) => kind === 'action')
      .slice(-3);
    expect(copies.map(({ answer }) => answer)).toEqual(Array(3).fill(copies[0]?.answer));
    await world.command('');
    expect(await world.submit({ recipe: 'screenshots' })).toEqual({
      recipe: '⏭️ Skipped screenshots: its last job is still open.',
    });
  });

  test('at home offers recipes, which need no channel; a request does (L2)', async () => {
    await using world = await start();
    const { control } = world.slack;
    const opened = async () => {
      await control.openHome(alice);
      await world.later(() => JSON.stringify(control.home(alice)), includes('start_job'), 'the home');
      await control.pressInView(alice, 'start_job');
      await world.later(() => world.form(), includes('Or run a recipe'), 'the form');
    };
    await opened();
    expect(await world.submit({ recipe: 'screenshots' })).toBeNull();
    await world.started('Renew the screenshots');
    await opened();
    expect(await world.submit({ prompt: 'Fix the typos' })).toHaveProperty('channel');
  });
});

test('only the recipes of channels in which the person may ask are offered, and run (T3, A1)', async () => {
  const recipes = [
    `  - { name: here, channel: ${general}, request: Go }`,
    `  - { name: elsewhere, channel: ${random}, request: Go }`,
    `  - { name: launch, channel: ${random}, request: "Announce {product}" }`,
  ];
  const access = `access: { channels: [${general}] }`;
  await using world = await start(
    ['projects: [{ id: acme-docs }]', access, 'recipes:', ...recipes].join('\n'),
  );
  await world.command('');
  expect(world.form()).toContain('"here"');
  expect(world.form()).not.toContain('"elsewhere"');
  for (const text of ['run elsewhere', 'run launch']) {
    // Neither a form nor an answer says what they are.
    expect(JSON.stringify((await world.command(text)).payload)).toContain('only certain channels');
  }
  expect(world.form()).not.toContain('Announce');
  expect(world.prompts()).toEqual([]);
  await world.command('run lunch');
  expect((await world.sentPrivately(general, 'no recipe “lunch”')).text).toContain('Available: here. To');
});
