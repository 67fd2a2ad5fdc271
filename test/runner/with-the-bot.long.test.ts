import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { startGate } from '../crash/support/gate.ts';
import { type ChildProgram, runProgram } from '../support/child-program.ts';
import { freePort } from '../support/free-port.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { noFiles } from '../support/settings.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictSlack } from '../support/strict-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { KEY, runnerEnv, startRunnerWorld } from './support/world.ts';

/** The bot, and a runner that can be killed; time is real. */
async function start() {
  const resources = new AsyncDisposableStack();
  const world = resources.use(await startRunnerWorld());
  await world.runner.stop();
  const port = await freePort();
  const startRunner = async (): Promise<ChildProgram> => {
    const program = runProgram(['runner'], { ...runnerEnv(world), RUNNER_PORT: String(port) });
    await program.logged('runner_started');
    return program;
  };
  let runner = await startRunner();
  resources.defer(() => runner[Symbol.asyncDispose]());
  let killAt: 'before' | 'after' | null = null;
  const killed = Promise.withResolvers<void>();
  const gate = resources.use(
    await startGate(`http://127.0.0.1:${port}`, ({ method }, moment) => {
      if (!method.endsWith('/job') || moment !== killAt) return 'go';
      killAt = null;
      runner.kill('SIGKILL');
      killed.resolve();
      return 'hold';
    }),
  );
  const slack = resources.use(await startStrictSlack({ clock: systemClock, app: { mode: 'socket' } }));
  const lines: string[] = [];
  const env = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: gate.origin,
    AGENT_API_KEY: KEY,
    AGENT_PROJECT_ID: 'docs',
    AGENT_TIMEOUT: '2s',
    POLL_MIN_INTERVAL: '200ms',
    DATA_DIR: join(world.root, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const service = createService(parseConfig(env, noFiles), { log });
  await service.start();
  resources.defer(() => service.stop());
  const { control } = slack;
  const found = async (find: () => Promise<SlackMessage | undefined>, what: string) => {
    const message = await waitFor(find, (seen) => seen !== undefined, { what });
    if (message === undefined) throw new Error(what);
    return message;
  };
  return {
    ...{ world, control, lines },
    ask: async (text: string) => {
      await control.command({ channel: general, user: alice, text });
      const [title = ''] = text.split('\n');
      return found(
        async () =>
          (await control.messages(general)).find((one) => !one.thread_ts && one.text.includes(title)),
        `the card of ${title}`,
      );
    },
    thread: async ({ ts }: SlackMessage) =>
      (await control.thread(general, ts)).filter((one) => one.ts !== ts),
    says: (card: SlackMessage, words: string) =>
      found(
        async () => (await control.thread(general, card.ts)).find(({ text }) => text.includes(words)),
        `"${words}" in the thread or on the card`,
      ),
    killRunnerAt: async (moment: 'before' | 'after') => {
      killAt = moment;
      await killed.promise;
      await runner.exit;
      await runner[Symbol.asyncDispose]();
      runner = await startRunner();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test('a request is stopped, a question is answered, and both threads tell the truth', async () => {
  await using bot = await start();
  const { control, world } = bot;
  const card = await bot.ask('Add a page\nwrite docs/a.md A\nwait');
  const working = await bot.says(card, ' · editing docs/a.md');
  await control.press(working, 'stop', bob);
  expect((await bot.says(card, '*Stopped* by')).text).toMatch(/^⏹️ \*Stopped\* by \S+\.$|^\*Add a page\*/);
  await bot.says(card, '⏹️ *Stopped* by');
  await waitFor(
    async () => (await bot.thread(card)).map(({ text }) => text.slice(0, 12)),
    (texts) => texts.length === 2,
    { what: 'the stop in the thread' },
  );
  expect(world.pulls).toEqual([]);

  const asked = await bot.ask('Which home is that?\nenv NOWHERE');
  const answer = await bot.says(asked, '💬');
  expect(answer.text).toBe(`💬 <@${alice}> *The agent says:*\n“NOWHERE is not set”`);
  await control.message({ channel: general, user: bob, text: 'write docs/b.md B', threadTs: asked.ts });
  const ready = await bot.says(asked, 'Pull request ready');
  expect(ready.text).toContain('“Done.”');
  await control.message({ channel: general, user: bob, text: 'And now?', threadTs: asked.ts });
  await bot.says(asked, '💬 *Answered* · ');
  expect(world.pulls).toHaveLength(1);
  const replies = ['write docs/b.md B', 'And now?'];
  const told = (await bot.thread(asked)).filter(({ text }) => !replies.includes(text));
  expect(told.map(({ text }) => text.slice(0, 2))).toEqual(['⚙️', '💬', '🎉', '💬']);
});

const picture = {
  ...{ name: 'screen.png', mimetype: 'image/png', filetype: 'png' },
  content: Buffer.from('89504e470d0a1a0a0001', 'hex'),
};

test('the agent gets the pictures of a request, also of one that is repeated', async () => {
  await using bot = await start();
  const { control, world } = bot;
  const ask = async (text: string) => {
    const mention = `<@${strictApp.botUserId}> ${text}`;
    await control.message({ channel: general, user: alice, text: mention, files: [picture] });
    return (await control.messages(general)).findLast((one) => one.text === mention) as SlackMessage;
  };
  // The bot has to learn first what the runner takes.
  const card = await ask('Look at it\nenv NOWHERE');
  await bot.says(card, '💬');
  expect(world.lastPrompt()).toMatch(/^Look at it\n.*\[image\]$/s);
  const [again] = await Promise.all([ask('And at this\nwrite docs/a.md A'), bot.killRunnerAt('after')]);
  await bot.says(again, 'Pull request ready');
  expect(world.lastPrompt()).toMatch(/^And at this\n.*\[image\]$/s);
  expect(world.pulls).toHaveLength(1);
  expect((await bot.thread(again)).filter(({ text }) => /Couldn't|Not sent/.test(text))).toEqual([]);
});

test.each(['before', 'after'] as const)(
  'a runner that is killed %s it has a create call: one job, and nothing unclear',
  async (moment) => {
    await using bot = await start();
    const { world } = bot;
    // What the runner announces is known since its first answer.
    await bot.says(await bot.ask('First page\nwrite docs/a.md A'), 'Pull request ready');
    const [card] = await Promise.all([bot.ask('Second page\nwrite docs/b.md B'), bot.killRunnerAt(moment)]);
    await bot.says(card, 'Pull request ready');
    expect(world.pulls).toHaveLength(2);
    expect(
      world.git('for-each-ref', '--format=%(refname)', 'refs/heads/docs-agent').split('\n'),
    ).toHaveLength(2);
    expect((await bot.thread(card)).filter(({ text }) => text.includes("Couldn't"))).toEqual([]);
    expect(bot.lines.filter((line) => line.includes('"outcome":"repeated"')).length).toBeGreaterThan(0);
  },
);
