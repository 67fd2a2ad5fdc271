import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import type { Fault } from '../support/agent-api/fault.ts';
import { alice, bob, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';

const sent = ({ api }: Program, text: string) => api.requests.filter(({ prompt }) => prompt === text).length;

async function pressThreeTimes({ slack }: Program, offer: SlackMessage, button: string): Promise<void> {
  await Promise.all([alice, bob, alice].map((user) => slack.control.press(offer, button, user)));
  await slack.control.press(offer, button, bob);
}

/** After these it is unknown whether the API took the request. */
test.each<[string, Fault]>([
  ['a server error', { status: 500 }],
  ['a connection that breaks after the request was taken', 'reset_after'],
  ['half an answer', 'half_body'],
  ['a web page', 'html'],
])(
  'a start or a follow-up that is answered with %s is not repeated, but offered, also after a restart (E1)',
  async (_what, fault) => {
    await using program = await startProgram();
    const { api, clock } = program;
    const { control } = program.slack;
    api.failNext('create', fault);
    const card = await program.ask('Add a quickstart');
    const start = await program.threadMessage(card, "Couldn't confirm the start");
    await program.restart();
    await clock.advance(20_000);
    expect(sent(program, 'Add a quickstart')).toBe(1);
    await program.shows(card, "Couldn't confirm the start");
    await pressThreeTimes(program, start, buttons.startAgain.id);
    await program.threadMessage(card, 'On it');
    await control.press(start, buttons.startAgain.id, alice);

    api.failNext('message', fault);
    const message = await control.reply(card, 'Mention the CLI');
    const offer = await program.threadMessage(card, "Couldn't confirm that");
    await receipt(control, message, 'warning');
    await clock.advance(20_000);
    expect(sent(program, 'Mention the CLI')).toBe(1);
    await pressThreeTimes(program, offer, buttons.sendAgain.id);
    await clock.advance(4_000);
    await receipt(control, message, 'white_check_mark');
    await control.press(offer, buttons.sendAgain.id, alice);
    await clock.advance(20_000);
    expect(sent(program, 'Add a quickstart')).toBe(2);
    expect(sent(program, 'Mention the CLI')).toBe(2);
    expect(await program.posts(card, "Couldn't confirm")).toHaveLength(2);
    await program.shows(card, 'Working');
  },
);

test('a follow-up that is refused is shown in the API’s words, and can be retried; at a rate limit follow-ups wait, more of them join, and they go out in order (F1, F2, F6)', async () => {
  await using program = await startProgram();
  const { api, clock, slack } = program;
  const { control } = slack;
  const card = await program.working();
  api.failNext('message', { status: 400, body: { error: 'Prompt is about <!channel>' } });
  const message = await control.reply(card, 'Refused');
  const offer = await program.threadMessage(card, 'Prompt is about &lt;!channel&gt;');
  await receipt(control, message, 'warning');
  const other = await control.reply(card, 'Taken');
  await clock.advance(4_000);
  await receipt(control, other, 'white_check_mark');
  await pressThreeTimes(program, offer, buttons.sendAgain.id);
  await clock.advance(4_000);
  await receipt(control, message, 'white_check_mark');

  api.failNext('message', { status: 429, headers: { 'retry-after': '90' } });
  const replies = [await control.reply(card, 'First of two')];
  await clock.advance(4_000);
  await expect.poll(() => sent(program, 'First of two'), { message: 'the first try' }).toBe(1);
  const untilMs = clock.now() + 90_000;
  expect((await program.shows(card, '1 reply waiting')).text).toContain('waiting until <!date');
  replies.push(await control.reply(card, 'Second of two'));
  await program.shows(card, '2 replies waiting until <!date');
  for (const reply of replies) await receipt(control, reply, 'eyes');
  await clock.advanceTo(untilMs - 1_000);
  expect(sent(program, 'First of two\n\nSecond of two')).toBe(0);
  await clock.advance(5_000);
  for (const reply of replies) await receipt(control, reply, 'white_check_mark');
  await clock.advance(20_000);
  expect(await program.posts(card, 'hourly limit')).toEqual([]);
  expect(api.jobs[0]?.prompts.slice(1)).toEqual(['Taken', 'Refused', 'First of two\n\nSecond of two']);
  expect(sent(program, 'Refused')).toBe(2);
});

test('at a rate limit a start waits for as long as the API asks: the card says until when, and the thread if it is more than ten minutes, once (E1, W2)', async () => {
  await using program = await startProgram();
  const { api, clock } = program;
  const limited = (seconds: number): Fault => ({ status: 429, headers: { 'retry-after': `${seconds}` } });
  const tries = () => sent(program, 'Add a quickstart');
  const startedAtMs = clock.now();
  api.failNext('create', limited(120), limited(601));
  const card = await program.ask('Add a quickstart');
  const untilIn = ({ text }: SlackMessage) => Number(/<!date\^(\d+)\^/.exec(text)?.[1]) * 1_000;
  const untilMs = untilIn(await program.shows(card, 'hourly limit is used up'));
  expect(untilMs - startedAtMs).toBeGreaterThan(118_000);
  expect(untilMs - startedAtMs).toBeLessThan(130_000);
  await clock.advanceTo(untilMs - 1_000);
  expect(tries()).toBe(1);
  expect(await program.posts(card)).toEqual([]);
  await clock.advance(2_000);
  await expect.poll(tries, { message: 'the second try' }).toBe(2);
  const told = await program.threadMessage(card, 'hourly limit is used up');
  expect(untilIn(told)).toBeGreaterThan(untilMs + 600_000);
  await clock.advanceTo(untilIn(told) - 1_000);
  expect(tries()).toBe(2);
  await clock.advance(2_000);
  await program.threadMessage(card, 'On it');
  expect(tries()).toBe(3);
  expect(await program.posts(card)).toHaveLength(2);
});
