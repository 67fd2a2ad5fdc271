import { expect, test } from 'vitest';
import { agentEvents } from '../../../src/slack/protocol/scopes.ts';
import { alice, bob, general, random, type SlackMessage } from '../../support/local-slack.ts';
import type { ProgramOptions } from '../../support/strict-slack/program.ts';
import { startStrictWorld } from '../support/strict-world.ts';

const PR = 'https://github.com/acme/docs/pull/14';
const announces = ['cancel', 'summary'] as const;

/** A job at which the agent works, with a card that says so. */
async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld({ announces, ...options });
  const card = await world.working();
  const { later, slack } = world;
  return Object.assign(world, {
    card,
    reply: (text: string) => slack.control.reply(card, text),
    /** Presses *Stop* on the card as it is now, and returns that. */
    pressStop: async (root = card, user = bob) => {
      const shown = await world.shows(root, '[Stop]');
      await slack.control.press(shown, 'stop', user);
      return shown;
    },
    told: async (words: string, root = card) =>
      (await world.thread(root)).filter(({ text }) => text.includes(words)),
    toPerson: (user: string, words: string, channel = general) =>
      later(
        async () =>
          (await slack.control.messages(channel)).findLast(
            ({ ephemeral_to: to, text }) => to === user && text.includes(words),
          ),
        (found): found is SlackMessage => found !== undefined,
        `${words}, to one person`,
      ),
  });
}

test('*Stop* on the card ends the turn, once, and says by whom and what is there (W2)', async () => {
  await using world = await start();
  const { card, api, slack } = world;
  const withStop = await world.shows(card, '[Stop]');
  const button = JSON.stringify(withStop.blocks);
  expect(button).toContain('"confirm":{"title":{"type":"plain_text","text":"Stop the agent?"');
  expect(button).toContain('Stop, #1: Add a quickstart');
  await Promise.all([bob, alice].map((user) => slack.control.press(withStop, 'stop', user)));
  const news = await world.threadMessage(card, 'Stopped');
  expect(news.text).toMatch(/^⏹️ \*Stopped\* by (?:Bob|bob|Alice|alice)\.$/);
  const stopped = await world.shows(card, '⏹️ *Stopped* by ');
  expect(stopped.text).not.toMatch(/\[Stop\]|\[Reply to the agent\]/);
  await slack.control.press(withStop, 'stop', bob);
  await world.toPerson(bob, 'Already done: ⏹️ *Stopped* by ');
  await world.clock.advance(300_000);
  expect(api.counts.cancel).toBe(1);
  expect(await world.told('Stopped')).toHaveLength(1);
  expect(await world.told('Done, no pull request')).toEqual([]);
});

test('a later turn that is stopped names the pull request; a reply after it starts the next (F6, W2)', async () => {
  await using world = await start();
  const { card, api } = world;
  api.finish(0, { status: 'completed', prLink: PR, summary: 'Added it.' });
  await world.threadMessage(card, 'Pull request ready');
  await world.reply('Shorter, please');
  await world.pressStop();
  await world.reply('Only the title');
  const news = await world.threadMessage(card, 'Stopped');
  expect(news.text).toContain(`What was done so far is in <${PR}|acme/docs#14>.`);
  await world.later(() => api.jobs[0]?.prompts.length, 3, 'the reply after the stop');
  expect(world.prompts()).toEqual([['Add a quickstart', 'Shorter, please', 'Only the title']]);
  api.finish(0, { status: 'completed', prLink: PR, summary: 'The title is shorter.' });
  expect((await world.threadMessage(card, 'Updated')).text).toContain('The title is shorter.');
});

test('replies that wait are held back by a stop, say so, and can be sent again (F1)', async () => {
  await using world = await start({ settings: { FOLLOW_UP_WINDOW: '60s' } });
  const { card, slack } = world;
  const waiting = await world.reply('And a glossary');
  await slack.control.press(await world.shows(card, '1 reply waiting'), 'stop', bob);
  const news = await world.threadMessage(card, 'Stopped');
  expect(news.text).toContain('⚠️ 1 reply may not be included.');
  await world.later(() => slack.control.reactions(waiting), ['warning'], 'the receipt');
  expect(world.prompts()).toEqual([['Add a quickstart']]);
  await slack.control.press(news, 'send_again', bob);
  await world.later(() => world.prompts()[0]?.length, 2, 'the reply to be sent');
});

test('a stop that the end of the turn overtakes, or that reaches an agent that is done, says what happened (W3)', async () => {
  await using world = await start();
  const { card, api, slack } = world;
  api.failNext('cancel', { status: 503 });
  const withStop = await world.pressStop();
  await world.shows(card, '⏹️ *Stopping*');
  api.finish(0, { status: 'completed', prLink: PR, summary: 'All done.' });
  await world.threadMessage(card, 'Pull request ready');
  await world.shows(card, 'Pull request ready');
  await world.clock.advance(300_000);
  await slack.control.press(withStop, 'stop', bob);
  await world.toPerson(bob, 'Already done: ✅ *Pull request ready*');
  expect(api.counts.cancel).toBe(1);

  const other = await world.working('Add a glossary');
  const shown = await world.shows(other, '[Stop]');
  api.failNext('get', ...Array.from({ length: 20 }, () => ({ status: 503 })));
  api.finish(1, { status: 'failed', reason: 'The build broke.' });
  await slack.control.press(shown, 'stop', bob);
  await world.threadMessage(other, '*Failed.* The build broke.');
  expect(api.counts.cancel).toBe(2);
  for (const root of [card, other]) expect(await world.told('Stopped', root)).toEqual([]);
});

test('a stop still queued behind a reply when the turn ends does not stop the next turn (W3)', async () => {
  await using world = await start({ announces: [...announces, 'idempotency'] });
  const { card, api } = world;
  api.failNext('message', ...Array(4).fill({ status: 503 } as const));
  await world.reply('Shorter, please');
  await world.later(() => api.counts.message > 0, true, 'the reply to be on its way');
  await world.pressStop();
  await world.shows(card, '⏹️ *Stopping*');
  api.finish(0, { status: 'completed', prLink: PR });
  await world.threadMessage(card, 'Pull request ready');
  await world.later(() => api.jobs[0]?.prompts.length, 2, 'the reply to be taken');
  await world.clock.advance(60_000);
  expect(api.counts.cancel).toBe(0);
});

test('a stop goes on through an outage; what is refused is told, and the turn goes on (E1)', async () => {
  await using world = await start();
  const { card, api } = world;
  api.failNext('cancel', 'reset_after', { status: 429 });
  await world.pressStop();
  await world.threadMessage(card, 'Stopped');

  const other = await world.working('Add a glossary');
  api.failNext('cancel', { status: 400, body: { error: 'Not <!here>' } });
  await world.pressStop(other);
  const news = await world.threadMessage(other, "Couldn't stop");
  expect(news.text).toBe("⚠️ *Couldn't stop the agent.* Not &lt;!here&gt;.");
  await world.pressStop(other);
  await world.threadMessage(other, '*Stopped* by');
});

test('`stop` in the thread, or as a command, asks its author, and only that one can press (S2, A1)', async () => {
  await using world = await start();
  const { card, api, slack } = world;
  await world.shows(card, '[Stop]');
  await world.reply('please stop');
  const question = await world.toPerson(bob, '*Stop this?* Add a quickstart · ');
  expect(question.text).toContain('[Stop] [Send “please stop” to the agent]');
  const { payload } = await world.command('stop', alice, random);
  expect(JSON.stringify(payload)).toContain('*Stop this?* Add a quickstart · ');
  const typed = await world.toPerson(alice, 'Stop this?', random);
  await slack.control.press({ ...typed, ephemeral_to: bob }, 'stop', bob).catch(() => null);
  await world.clock.advance(10_000);
  expect(api.counts.cancel + api.counts.message).toBe(0);
  await slack.control.press(typed, 'stop', alice);
  await world.threadMessage(card, 'Stopped');
  await slack.control.press(question, 'stop', bob);
  await world.toPerson(bob, 'Already done');
});

test('a job that only starts says when it can be stopped; help and questions know, too (S2)', async () => {
  await using world = await start();
  world.api.failAll({ status: 429, headers: { 'retry-after': '600' } });
  const card = await world.ask('Add a glossary');
  await world.shows(card, 'hourly limit');
  await world.slack.control.reply(card, 'stop');
  await world.toPerson(bob, "*The agent hasn't started yet.* Say it again once it's working.");
  const { payload } = await world.command('lists');
  expect(JSON.stringify(payload)).toContain('as a new request?*');
  expect(JSON.stringify(payload)).not.toContain("can't be cancelled");
});

test('Slack’s own *Stop* stops the agent; a person without access stops nothing (T4, A1)', async () => {
  expect(agentEvents).toEqual(['agent_session_stopped']);
  await using world = await start({ configFile: `access: { users: [${alice}] }` });
  const { card, slack } = world;
  await world.pressStop();
  await world.toPerson(bob, '🔒');
  slack.control.stopSession(general, card.ts, bob);
  await world.clock.advance(10_000);
  expect(world.api.counts.cancel).toBe(0);
  for (const _stop of [1, 2]) slack.control.stopSession(general, card.ts, alice);
  await world.threadMessage(card, 'Stopped');
  expect(world.api.counts.cancel).toBe(1);
  expect(await world.told('No longer watching')).toEqual([]);
});

test('without the capability there is no *Stop*, and Slack’s own ends the watch, which the thread says (S2, T4)', async () => {
  await using world = await start({ announces: ['summary'] });
  const { card, slack } = world;
  await world.clock.advance(10_000);
  expect((await slack.control.messages(general)).find(({ ts }) => ts === card.ts)?.text).not.toContain(
    'Stop',
  );
  await world.reply('stop');
  await world.toPerson(bob, "*I can't stop the agent: it has no way to be stopped.*");
  expect(slack.control.session(general, card.ts)).toBeNull();
  slack.control.stopSession(general, card.ts, bob);
  const news = await world.threadMessage(card, 'No longer watching');
  expect(news.text).toMatch(/^⚪ \*No longer watching:\* \S+ stopped it, but the agent can't be stopped/);
  await world.shows(card, '[Resume watching]');
});
