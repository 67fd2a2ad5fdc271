import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { cards } from './support/turns.ts';

let sequence = 0;
/** A timestamp that no other message has. */
function newTs(): string {
  sequence += 1;
  return `1700000000.${String(sequence).padStart(6, '0')}`;
}

/** Whatever was sent before it would have gone out together with this reply, or before it. */
async function expectFollowUps(program: Program, card: SlackMessage, expected: readonly string[]) {
  await program.clock.advance(10_000);
  await program.slack.control.reply(card, 'the last one');
  await program.clock.advance(4_000);
  const followUps = () => program.api.jobs.at(-1)?.prompts.slice(1);
  await expect.poll(() => followUps()?.at(-1), { message: 'the last reply' }).toMatch(/the last one$/);
  expect(followUps()).toEqual([...expected, 'the last one']);
}

test('a command that is delivered three times, at the same time or one after the other, starts one job; so does each reply one follow-up, also as another event (S5, F1)', async () => {
  await using program = await startProgram({ mode: 'http' });
  const { api, clock, slack } = program;
  slack.onDelivery(() => 3);
  const card = await program.working('Start once');
  const again = { channelId: general, userId: alice, text: 'Start once more', triggerId: 'again' };
  for (const retryNum of [1, 2, 3]) {
    const answer = await signedSlackOf(program).sendCommand(again, { retryNum });
    expect(answer).toEqual({ status: 200, body: '' });
  }
  await expect.poll(() => api.jobs.length, { message: 'the other job' }).toBe(2);
  await slack.control.reply(card, 'In three copies');
  const twins = [{}, { ts: newTs() }, { subtype: 'file_share' }, { subtype: 'thread_broadcast' }].map(
    (changes, index) => ({ changes, client_msg_id: `client ${index}`, text: `Twin ${index}` }),
  );
  for (const { changes, ...twin } of twins) {
    const event = { type: 'message', user: bob, ts: newTs(), thread_ts: card.ts, ...twin };
    await Promise.all([event, { ...event, ...changes }].map((one) => slack.control.raw(general, one)));
  }
  await clock.advance(10_000);
  const sent = () => api.jobs[0]?.prompts.slice(1).flatMap((text) => text.split('\n\n'));
  await expect.poll(() => sent()?.length, { message: 'the follow-ups' }).toBe(5);
  await clock.advance(60_000);
  expect(sent()?.toSorted()).toEqual(['In three copies', 'Twin 0', 'Twin 1', 'Twin 2', 'Twin 3']);
  expect(await cards(program)).toHaveLength(2);
  expect(api.jobs.map(({ prompts: [first] }) => first)).toEqual(['Start once', 'Start once more']);
});

test('what no person wrote as a reply is no follow-up, nor what is in another thread or channel (F1, F4)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const card = await program.working();
  const reply = { type: 'message', user: bob, thread_ts: card.ts, text: 'not a reply' };
  const changed = { user: bob, ts: card.ts, thread_ts: card.ts, text: 'not a reply', type: 'message' };
  const events = [
    { ...reply, subtype: 'bot_message', bot_id: 'B0OTHER', user: undefined },
    { ...reply, user: undefined, bot_id: 'B0OTHER' },
    { ...reply, user: localApp.botUserId },
    { ...reply, user: undefined },
    { ...reply, subtype: 'message_changed', message: changed, previous_message: changed, hidden: true },
    { ...reply, subtype: 'message_deleted', deleted_ts: card.ts, previous_message: changed, hidden: true },
    { ...reply, subtype: 'message_replied', message: changed },
    ...['channel_join', 'channel_leave', 'channel_topic', 'reminder_add', 'assistant_app_thread'].map(
      (subtype) => ({ ...reply, subtype }),
    ),
    { ...reply, subtype: 'something_new' },
    { ...reply, thread_ts: undefined },
  ];
  await Promise.all(events.map((event) => control.raw(general, { ...event, ts: newTs() })));
  await control.raw(random, { ...reply, ts: newTs() });
  const root = await control.message({ channel: general, user: bob, text: 'another thread' });
  await control.reply(root, 'elsewhere');
  await expectFollowUps(program, card, []);
  expect(await control.reactions(root)).toEqual([]);
});

test('quick replies go out as one message, in the order of their timestamps, also with a file, or sent to the channel, too (F3, F4, F5)', async () => {
  await using program = await startProgram();
  const card = await program.working();
  const reply = { type: 'message', user: bob, thread_ts: card.ts };
  const kinds = { One: {}, Two: { subtype: 'file_share' }, Three: { subtype: 'thread_broadcast' }, Four: {} };
  const events = Object.entries(kinds).map(([text, kind]) => ({ ...reply, ...kind, ts: newTs(), text }));
  for (const event of events.toReversed()) {
    await program.slack.control.raw(general, event);
    await program.clock.advance(1_000);
  }
  await expectFollowUps(program, card, ['One\n\nTwo\n\nThree\n\nFour']);
});
