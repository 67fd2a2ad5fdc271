import { expect, onTestFinished, test } from 'vitest';
import { agentEvents } from '../../../src/slack/protocol/scopes.ts';
import { present } from '../../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';

const PR = 'https://github.com/acme/docs/pull/14';
const announces = ['cancel', 'summary'] as const;

/** A job at which the agent works, with a card that says so. */
async function startWorking(options: ProgramOptions = {}) {
  const program = await startProgram({ announces, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const card = await program.working();
  return { program, card, api: program.api, slack: program.slack };
}

const now = async ({ slack }: Program, { channel, ts }: SlackMessage) =>
  (await slack.control.messages(channel)).find((message) => message.ts === ts);
const told = async ({ slack }: Program, { channel, ts }: SlackMessage, words: string) =>
  (await slack.control.thread(channel, ts)).filter(
    (message) => message.ts !== ts && message.text.includes(words),
  );
const privately = ({ later, slack }: Program, user: string, words: string, channel = general) =>
  later(
    async () =>
      (await slack.control.messages(channel)).findLast(
        ({ ephemeral_to: to, text }) => to === user && text.includes(words),
      ),
    present,
    `${words}, to one person`,
  );
test('*Stop* on the card ends the turn, once, and says by whom and what is there (W2)', async () => {
  const { program, card, api, slack } = await startWorking();
  const withStop = await program.shows(card, '[Stop]');
  const button = JSON.stringify(withStop.blocks);
  expect(button).toContain('"confirm":{"title":{"type":"plain_text","text":"Stop the agent?"');
  expect(button).toContain('Stop, #1: Add a quickstart');
  await Promise.all([
    slack.control.press(withStop, 'stop', bob),
    slack.control.press(withStop, 'stop', alice),
  ]);
  const news = await program.threadMessage(card, 'Stopped');
  expect(news.text).toMatch(/^⏹️ \*Stopped\* by (?:Bob|bob|Alice|alice)\.$/);
  const stopped = await program.shows(card, '⏹️ *Stopped* by ');
  expect(stopped.text).not.toContain('[Stop]');
  expect(stopped.text).not.toContain('[Reply to the agent]');
  await slack.control.press(withStop, 'stop', bob);
  await privately(program, bob, 'Already done: ⏹️ *Stopped* by ');
  await program.clock.advance(300_000);
  expect(api.counts.cancel).toBe(1);
  expect(await told(program, card, 'Stopped')).toHaveLength(1);
  expect(await told(program, card, 'Done, no pull request')).toEqual([]);
});

test('a later turn that is stopped names the pull request; a reply after it starts the next (F6, W2)', async () => {
  const { program, card, api, slack } = await startWorking();
  const id = api.jobs[0]?.id ?? '';
  api.finish(id, { status: 'completed', prLink: PR, summary: 'Added it.' });
  await program.threadMessage(card, 'Pull request ready');
  await slack.control.reply(card, 'Shorter, please');
  await slack.control.press(await program.shows(card, '[Stop]'), 'stop', bob);
  await slack.control.reply(card, 'Only the title');
  const news = await program.threadMessage(card, 'Stopped');
  expect(news.text).toContain(`What was done so far is in <${PR}|acme/docs#14>.`);
  await program.later(() => api.jobs[0]?.prompts.length, 3, 'the reply after the stop');
  expect(api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Shorter, please', 'Only the title']);
  api.finish(id, { status: 'completed', prLink: PR, summary: 'The title is shorter.' });
  expect((await program.threadMessage(card, 'Updated')).text).toContain('The title is shorter.');
});

test('replies that wait are held back by a stop, say so, and can be sent again (F1)', async () => {
  const { program, card, api, slack } = await startWorking({ settings: { FOLLOW_UP_WINDOW: '60s' } });
  const waiting = await slack.control.reply(card, 'And a glossary');
  await slack.control.press(await program.shows(card, '1 reply waiting'), 'stop', bob);
  const news = await program.threadMessage(card, 'Stopped');
  expect(news.text).toContain('⚠️ 1 reply may not be included.');
  await program.later(() => slack.control.reactions(waiting), ['warning'], 'the receipt');
  expect(api.jobs[0]?.prompts).toEqual(['Add a quickstart']);
  await slack.control.press(news, 'send_again', bob);
  await program.later(() => api.jobs[0]?.prompts.length, 2, 'the reply to be sent');
});

test('a stop that the end of the turn overtakes says what happened (W3)', async () => {
  const { program, card, api, slack } = await startWorking();
  const withStop = await program.shows(card, '[Stop]');
  api.failNext('cancel', { status: 503 });
  await slack.control.press(withStop, 'stop', bob);
  await program.shows(card, '⏹️ *Stopping*');
  api.finish(0, { status: 'completed', prLink: PR, summary: 'All done.' });
  await program.threadMessage(card, 'Pull request ready');
  await program.shows(card, 'Pull request ready');
  await program.clock.advance(300_000);
  expect(await told(program, card, 'Stopped')).toEqual([]);
  await slack.control.press(withStop, 'stop', bob);
  await privately(program, bob, 'Already done: ✅ *Pull request ready*');
  expect(api.counts.cancel).toBe(1);
});

test('a stop that reaches an agent that is done says so, too (W3)', async () => {
  const { program, card, api, slack } = await startWorking();
  const withStop = await program.shows(card, '[Stop]');
  api.failNext('get', ...Array.from({ length: 20 }, () => ({ status: 503 })));
  api.finish(0, { status: 'failed', reason: 'The build broke.' });
  await slack.control.press(withStop, 'stop', bob);
  await program.threadMessage(card, '*Failed.* The build broke.');
  expect(api.counts.cancel).toBe(1);
  expect(await told(program, card, 'Stopped')).toEqual([]);
});

test('a stop goes on through an outage; what is refused is told, and the turn goes on (E1)', async () => {
  const { program, card, api, slack } = await startWorking();
  api.failNext('cancel', 'reset_after', { status: 429 });
  await slack.control.press(await program.shows(card, '[Stop]'), 'stop', bob);
  await program.threadMessage(card, 'Stopped');

  const other = await program.working('Add a glossary');
  api.failNext('cancel', { status: 400, body: { error: 'Not <!here>' } });
  await slack.control.press(await program.shows(other, '[Stop]'), 'stop', bob);
  const news = await program.threadMessage(other, "Couldn't stop");
  expect(news.text).toBe("⚠️ *Couldn't stop the agent.* Not &lt;!here&gt;.");
  await slack.control.press(await program.shows(other, '[Stop]'), 'stop', bob);
  await program.threadMessage(other, '*Stopped* by');
});

test('`stop` in the thread asks its author, and can still be sent to the agent (S2)', async () => {
  const { program, card, api, slack } = await startWorking();
  await program.shows(card, '[Stop]');
  await slack.control.reply(card, 'please stop');
  const question = await privately(program, bob, '*Stop this?* Add a quickstart · ');
  expect(question?.text).toContain('[Stop] [Send “please stop” to the agent]');
  await program.clock.advance(10_000);
  expect(api.counts.cancel + api.counts.message).toBe(0);
  if (question) await slack.control.press(question, 'stop', bob);
  expect((await program.threadMessage(card, 'Stopped')).text).toContain('by ');
  await privately(program, bob, 'Stopp');
});

test('`stop` as a command asks, too, wherever its author is; others cannot press there (S2, A1)', async () => {
  const { program, card, api, slack } = await startWorking();
  const { payload } = await slack.control.command({ channel: random, user: alice, text: 'stop' });
  expect(JSON.stringify(payload)).toContain('*Stop this?* Add a quickstart · ');
  const question = await privately(program, alice, 'Stop this?', random);
  if (!question) throw new Error('no question');
  expect(question.text).toContain('[Stop]');
  await slack.control.press({ ...question, ephemeral_to: bob }, 'stop', bob).catch(() => null);
  await program.clock.advance(5_000);
  expect(api.counts.cancel).toBe(0);
  await slack.control.press(question, 'stop', alice);
  await program.threadMessage(card, 'Stopped');
});

test('a person without access stops nothing (A1)', async () => {
  const { program, card, api, slack } = await startWorking({ configFile: `access: { users: [${alice}] }` });
  await slack.control.press(await program.shows(card, '[Stop]'), 'stop', bob);
  await privately(program, bob, '🔒');
  slack.control.stopSession(general, card.ts, bob);
  await program.clock.advance(10_000);
  expect(api.counts.cancel).toBe(0);
  slack.control.stopSession(general, card.ts, alice);
  await program.threadMessage(card, 'Stopped');
});

test('a job that only starts says when it can be stopped; help and questions know, too (S2)', async () => {
  const { program, api, slack } = await startWorking();
  api.failAll({ status: 429, headers: { 'retry-after': '600' } });
  const card = await program.ask('Add a glossary');
  await program.shows(card, 'hourly limit');
  await slack.control.reply(card, 'stop');
  await privately(program, bob, "*The agent hasn't started yet.* Say it again once it's working.");
  const { payload } = await slack.control.command({ channel: general, user: alice, text: 'lists' });
  expect(JSON.stringify(payload)).toContain('as a new request?*');
  expect(JSON.stringify(payload)).not.toContain("can't be cancelled");
});

test('without the capability there is no *Stop*, in any place (S2)', async () => {
  const { program, card, slack } = await startWorking({ announces: ['summary'] });
  await program.clock.advance(10_000);
  expect((await now(program, card))?.text).not.toContain('Stop');
  await slack.control.reply(card, 'stop');
  await privately(program, bob, "*I can't stop the agent: it has no way to be stopped.*");
  expect(slack.control.session(general, card.ts)).toBeNull();
});

test('Slack’s own *Stop* stops the agent, or else the watch, and the thread says which (T4)', async () => {
  expect(agentEvents).toEqual(['agent_session_stopped']);
  const { program, card, slack } = await startWorking();
  await program.shows(card, '[Stop]');
  slack.control.stopSession(general, card.ts, bob);
  slack.control.stopSession(general, card.ts, alice);
  await program.threadMessage(card, 'Stopped');
  expect(program.api.counts.cancel).toBe(1);
  expect(await told(program, card, 'No longer watching')).toEqual([]);

  const mute = await startWorking({ announces: [] });
  mute.slack.control.stopSession(general, mute.card.ts, bob);
  const news = await mute.program.threadMessage(mute.card, 'No longer watching');
  expect(news.text).toMatch(/^⚪ \*No longer watching:\* \S+ stopped it, but the agent can't be stopped/);
  await mute.program.shows(mute.card, '[Resume watching]');
});
