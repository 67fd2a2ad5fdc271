import { expect, test } from 'vitest';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { openThreadForm } from './support/posts.ts';
import { startStrictWorld } from './support/strict-world.ts';

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
const unknown = "There's no project “handbok”. Available: handbook, docs.";

async function start() {
  const world = await startStrictWorld({ configFile });
  world.slack.control.invite(random, 'U0DOCSAGENT');
  const card = (prompt: string, project: string, channel = general): Promise<SlackMessage> =>
    world.seen(channel, ({ text }) => text.includes(`*${prompt}*`) && text.includes(` · ${project}`));
  return Object.assign(world, { card });
}

test('a job belongs to the first project, to that of its channel, or to the one that it names by any door (S1, S2, S3, S5)', async () => {
  await using world = await start();
  await world.command('Fix the typos');
  await world.card('Fix the typos', 'docs');
  await world.command('Fix the links', alice, random);
  await world.card('Fix the links', 'handbook', random);
  // The same words for another project are another job.
  await world.command('project=handbook Fix the typos');
  await world.card('Fix the typos', 'handbook');
  await world.say(`${bot} project=Handbook Fix the links`);
  await world.card('Fix the links', 'handbook');
  await world.say('project=handbook Fix the images', { channel: alice });
  await world.card('Fix the images', 'handbook', alice);
  await world.command('-- project=handbook is how it is written');
  await world.card('project=handbook is how it is written', 'docs');

  const root = await world.say('The errors annoy people');
  await world.say(`${bot} project=handbook Fix them`, { threadTs: root.ts });
  await openThreadForm(world, alice, '"initial_value":"Fix them"');
  expect(await world.submit()).toBeNull();
  await world.card('Fix them', 'handbook');
});

test('a request for an unknown project is kept, and starts once, in the one that is pressed (S2, S3, S6)', async () => {
  await using world = await start();
  const { control } = world.slack;
  await world.command('project=dosc Fix the typos');
  const question = await world.sentPrivately(
    general,
    "There's no project “dosc”. Available: docs, handbook.\n[Start in docs] [Start in handbook]",
  );
  await world.settled();
  expect(world.prompts()).toEqual([]);
  await world.restart();
  await Promise.all([1, 2].map(() => control.press(question, 'start_in', alice)));
  await control.press(question, 'start_in_2', alice);
  await world.card('Fix the typos', 'docs');
  await world.settled();
  expect(world.prompts()).toEqual([['Fix the typos']]);

  await world.command('project=handbok');
  expect((await world.sentPrivately(general, unknown)).text).not.toContain('[Start in');
  const root = await world.say(`${bot} project=handbok Fix the links`);
  await control.press(await world.sentPrivately(general, `${unknown}\n[Start in`), 'start_in', alice);
  await world.card('Fix the links', 'handbook');
  expect((await world.thread(root))[0]?.text).toContain(' · handbook');
});

test('the form has the project of the channel preselected, takes another, and refuses contradictions at the field (S2)', async () => {
  await using world = await start();
  await world.command('', alice, random);
  await world.submit({ prompt: 'Fix the typos' });
  await world.card('Fix the typos', 'handbook', random);
  await world.command('', alice, random);
  await world.submit({ prompt: 'Fix the typos', project: 'docs' });
  await world.card('Fix the typos', 'docs', random);

  await world.command('');
  expect((await world.submit({ prompt: 'project=handbok Fix the links' }))?.prompt).toBe(unknown);
  expect((await world.submit({ prompt: 'project=handbook Fix the links' }))?.project).toBe(
    'Which project? The request begins with project=handbook, but docs is chosen here. Choose the same one, or take it out of the request.',
  );
  expect(await world.submit({ project: 'handbook' })).toBeNull();
  await world.card('Fix the links', 'handbook');
});

test('"watch" looks in the project that is named, reports an unknown one, and takes one id in two projects for two jobs (W5)', async () => {
  await using world = await start();
  await world.command('project=handbook watch job_1');
  const told = await world.sentPrivately(general, 'no job “job_1” in the handbook project');
  expect(told.text).toContain('`/docs-agent project=name watch job_123`');
  await world.command('project=hanbdook watch job_1');
  await world.sentPrivately(general, "There's no project “hanbdook”. Available: handbook, docs.");
  // The agent cannot be asked whether it has them.
  world.api.failAll({ status: 401 });
  await world.command('watch job_1');
  await world.command('project=handbook watch job_1');
  for (const project of ['docs', 'handbook']) await world.card('Agent job job_1', project);
});
