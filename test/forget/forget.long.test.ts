import { describe, expect, onTestFinished, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { runProgram } from '../support/child-program.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { allOfPostgres, allOfSqlite, type ReadAll } from './support/rows.ts';

interface Kept {
  readonly world: StrictWorld;
  readonly readAll: ReadAll;
  /** The settings of the store, for commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command; an embedded service does not run meanwhile. */
  forget(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }>;
}

async function run(env: Readonly<Record<string, string>>, args: readonly string[]) {
  await using program = runProgram(['forget', ...args], env);
  const { code } = await program.exit;
  return { code, output: program.output() };
}

async function embedded(): Promise<Kept> {
  const world = await startStrictWorld();
  onTestFinished(() => world[Symbol.asyncDispose]());
  const dataDir = world.env.DATA_DIR ?? '';
  const env = { DATA_DIR: dataDir };
  const forget: Kept['forget'] = async (...args) => {
    await world.service.stop();
    return run(env, args);
  };
  return { world, env, forget, readAll: allOfSqlite(dataDir) };
}

async function onPostgres(): Promise<Kept> {
  const database = await createTestDatabase(testServerUrl ?? '');
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url };
  const world = await startStrictWorld({ settings: env });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return { world, env, forget: (...args) => run(env, args), readAll: allOfPostgres(database) };
}

async function ask(world: StrictWorld, user: string, channel: string, text: string): Promise<SlackMessage> {
  await world.slack.control.command({ channel, user, text });
  const [word = ''] = text.split(' ');
  return world.seen(channel, (message) => !message.thread_ts && message.text.includes(word));
}

async function reply(
  world: StrictWorld,
  card: SlackMessage,
  user: string,
  text: string,
): Promise<SlackMessage> {
  const { control } = world.slack;
  const sent = await control.message({ channel: card.channel, user, text, threadTs: card.ts });
  await world.later(
    () => world.prompts().flat(),
    (prompts) => prompts.some((prompt) => prompt.includes(text.split(',')[0] ?? text)),
    `the agent to get "${text}"`,
  );
  return sent;
}

async function finishAll(world: StrictWorld): Promise<void> {
  for (const { id } of world.api.jobs) world.api.finish(id, { status: 'completed' });
  await world.later(
    async () =>
      (await world.slack.control.messages(general)).concat(await world.slack.control.messages(random)),
    (all) =>
      all.filter(({ thread_ts, text }) => thread_ts && text.includes('Done, no pull request')).length >=
      world.api.jobs.length,
    'all jobs to be over',
  );
  await world.settled();
}

/** Alice and Bob each have a job, reply in both, and are named in texts of the other. */
async function conversation(
  world: StrictWorld,
): Promise<{ readonly hers: SlackMessage; readonly his: SlackMessage }> {
  world.slack.control.invite(random, localApp.botUserId);
  const hers = await ask(world, alice, general, 'Heliotrope is what Alice asks for');
  const his = await ask(world, bob, random, `Begonias as <@${alice}> likes them`);
  await world.threadMessage(hers, 'On it');
  await world.threadMessage(his, 'On it');
  await reply(world, hers, bob, 'Bergamot says Bob');
  const said = await reply(world, his, alice, 'Azalea says Alice');
  await world.slack.control.editMessage(said, 'Amaranth says Alice');
  await reply(world, his, bob, `Begonias again, <@${alice}> in <#${general}|general>`);
  await world.slack.control.openHome(alice);
  await finishAll(world);
  return { hers, his };
}

const HER_WORDS = ['Heliotrope', 'Azalea', 'Amaranth', alice];

function suite(open: () => Promise<Kept>): void {
  test('first only says what there is of a person, then erases it, and no trace is left; others lose nothing', async () => {
    const { world, readAll, forget } = await open();
    const { his } = await conversation(world);

    const dry = await forget('--user', alice);
    expect(dry).toMatchObject({
      code: 0,
      output: expect.stringMatching(/1 × jobs.*1 × replies.*add --yes/s),
    });
    const before = await readAll();
    for (const word of HER_WORDS) expect(before).toContain(word);

    const done = await forget('--user', alice, '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('All of this was erased.') });
    const after = await readAll();
    for (const word of HER_WORDS) expect(after).not.toContain(word);
    expect(after).toContain('Begonias');
    expect(await forget('--user', alice)).toMatchObject({
      code: 0,
      output: expect.stringContaining('nothing'),
    });

    await world.restart();
    await reply(world, his, bob, 'Begonias once more');
    expect(world.prompts().find(([prompt]) => prompt?.startsWith('Begonias'))).toHaveLength(4);
  });

  test('of a channel leaves nothing of its jobs, and nothing that names it', async () => {
    const { world, readAll, forget } = await open();
    await conversation(world);
    const done = await forget('--channel', general, '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('All of this was erased.') });
    const after = await readAll();
    for (const word of ['Heliotrope', 'Bergamot', general]) expect(after).not.toContain(word);
    for (const word of ['Begonias', 'Amaranth']) expect(after).toContain(word);
  });

  test('erases nothing while something of theirs is under way, and names it', async () => {
    const { world, readAll, forget } = await open();
    const hers = await ask(world, alice, general, 'Heliotrope is what Alice asks for');
    await world.threadMessage(hers, 'On it');
    await world.settled();
    const refused = await forget('--user', alice, '--yes');
    expect(refused.code).toBe(75);
    expect(refused.output).toMatch(/Nothing was erased.*job \S+ in C\w+, thread \S+\n.*stop watching/s);
    expect(await readAll()).toContain('Heliotrope');
  });
}

describe('forget, with the embedded store', () => {
  suite(embedded);

  test('says that the service must be stopped first', async () => {
    const { env } = await embedded();
    const { code, output } = await run(env, ['--user', alice]);
    expect(code).toBe(75);
    expect(output).toMatch(/in use by another docs-agent\. Stop that one/);
  });
});

describe.skipIf(testServerUrl === undefined)('forget, on Postgres while the service runs', () =>
  suite(onPostgres),
);

test.each([
  [[], 'Name either --user or --channel.'],
  [['--user', alice, '--channel', general], 'Name either --user or --channel.'],
  [['--user', 'alice'], '--user must be a Slack id, such as U0123456789.'],
  [['--channel', '%'], '--channel must be a Slack id, such as C0123456789.'],
])('forget %j is not understood', async (args, words) => {
  const { code, output } = await run({}, args);
  expect(code).toBe(64);
  expect(output).toContain(words);
});
