import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { openThreadForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';
const configFile = `
projects:
  - id: acme-docs
    name: docs
  - id: acme-handbook
    name: handbook
channels:
  ${random}:
    project: handbook
`;

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld({ configFile });
  world.slack.control.invite(random, 'U0DOCSAGENT');
});
afterEach(() => world[Symbol.asyncDispose]());

const command = (text: string, channel = general) =>
  world.slack.control.command({ channel, user: alice, text });
const write = (text: string, channel = general) =>
  world.slack.control.message({ channel, user: alice, text });
const card = (prompt: string, channel = general): Promise<SlackMessage> =>
  world.seen(channel, ({ text }) => text.includes(`*${prompt}*`));

test('a job belongs to the first project, or to that of its channel (S1)', async () => {
  await command('Fix the typos');
  expect((await card('Fix the typos')).text).toContain(' · docs');
  await command('Fix the links', random);
  expect((await card('Fix the links', random)).text).toContain(' · handbook');
});

test('project=name at the start of a command, a mention or a direct message chooses another (S1, S3)', async () => {
  await command('project=handbook Fix the typos');
  expect((await card('Fix the typos')).text).toContain(' · handbook');
  await write(`${bot} project=Handbook Fix the links`);
  expect((await card('Fix the links')).text).toContain(' · handbook');
  await write('project=handbook Fix the images', alice);
  expect((await card('Fix the images', alice)).text).toContain(' · handbook');
});

test('a request for an unknown project is kept, and starts once, in the one that is pressed (S2, S6)', async () => {
  await command('project=dosc Fix the typos');
  const question = await world.sentPrivately(
    general,
    "There's no project “dosc”. Available: docs, handbook.\n[Start in docs] [Start in handbook]",
  );
  await world.settled();
  expect(world.prompts()).toEqual([]);
  await world.restart();
  await Promise.all([1, 2].map(() => world.slack.control.press(question, 'start_in', alice)));
  await world.slack.control.press(question, 'start_in_2', alice);
  expect((await card('Fix the typos')).text).toContain(' · docs');
  await world.started('Fix the typos');
  await world.settled();
  expect(world.prompts()).toEqual([['Fix the typos']]);
});

const unknown = "There's no project “handbok”. Available: handbook, docs.";

test('a mention for an unknown project starts in its thread, in the project that is pressed (S3)', async () => {
  const root = await write(`${bot} project=handbok Fix the typos`);
  const question = await world.sentPrivately(general, unknown);
  await world.slack.control.press(question, 'start_in', alice);
  await card('Fix the typos');
  const [, started] = await world.slack.control.thread(general, root.ts);
  expect(started?.text).toContain(' · handbook');
});

test('an unknown project without a request has nothing to start, and in a form it is named at the field', async () => {
  await command('project=handbok');
  expect((await world.sentPrivately(general, unknown)).text).not.toContain('[Start in');
  await command('');
  const said = await world.slack.control.submit(alice, { prompt: 'project=handbok Fix the typos' });
  expect(said.errors?.prompt).toBe(unknown);
  expect(world.prompts()).toEqual([]);
});

test('two dashes turn it off (S2)', async () => {
  await command('-- project=handbook is how it is written');
  expect((await card('project=handbook is how it is written')).text).toContain(' · docs');
});

test('the form has the project of the channel preselected, and takes another (S2)', async () => {
  await command('', random);
  await world.slack.control.submit(alice, { prompt: 'Fix the typos' });
  expect((await card('Fix the typos', random)).text).toContain(' · handbook');
  await command('', random);
  await world.slack.control.submit(alice, { prompt: 'Fix the typos', project: 'docs' });
  await world.seen(random, ({ text }) => text.includes('*Fix the typos*') && text.includes(' · docs'));
});

test('a form whose text and menu name different projects is refused at the menu, and keeps both (S2)', async () => {
  await command('');
  const said = await world.slack.control.submit(alice, { prompt: 'project=handbook Fix the typos' });
  expect(said.errors?.project).toBe(
    'Which project? The request begins with project=handbook, but docs is chosen here. Choose the same one, or take it out of the request.',
  );
  expect((await world.slack.control.submit(alice, { project: 'handbook' })).errors).toBeNull();
  expect((await card('Fix the typos')).text).toContain(' · handbook');
});

test('a project that a mention in a thread names is chosen in the menu of its form (S3)', async () => {
  const root = await write('The typos annoy people');
  const reply = { channel: general, user: alice, threadTs: root.ts };
  await world.slack.control.message({ ...reply, text: `${bot} project=handbook Fix them` });
  await openThreadForm(world, alice, '"initial_value":"Fix them"');
  expect((await world.slack.control.submit(alice)).errors).toBeNull();
  expect((await card('Fix them')).text).toContain(' · handbook');
});

test('the same words for another project are another job (S5)', async () => {
  await command('Fix the typos');
  await command('project=handbook Fix the typos');
  await world.settled();
  const cards = (await world.slack.control.messages(general)).filter(({ text }) => text.includes('*Fix'));
  expect(cards).toHaveLength(2);
});

test('"watch" looks in the project that is named, and an unknown one is reported (W5)', async () => {
  await command('project=handbook watch job_1');
  const told = await world.sentPrivately(general, 'no job “job_1” in the handbook project');
  expect(told.text).toContain('`/docs-agent project=name watch job_123`');
  await command('project=hanbdook watch job_1');
  await world.sentPrivately(general, "There's no project “hanbdook”. Available: handbook, docs.");
});

test('the same id in two projects is two jobs to "watch" (W5)', async () => {
  // The agent cannot be asked whether it has them.
  world.api.failAll({ status: 401 });
  await command('watch job_1');
  await command('project=handbook watch job_1');
  await card('Agent job job_1');
  await world.seen(general, ({ text }) => text.includes('*Agent job job_1*') && text.includes(' · docs'));
  await world.seen(general, ({ text }) => text.includes('*Agent job job_1*') && text.includes(' · handbook'));
});
