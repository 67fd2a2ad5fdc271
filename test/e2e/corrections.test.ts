import { expect, test } from 'vitest';
import type { SlackCall } from '../support/fault-proxy/call.ts';
import { has } from '../support/is.ts';
import { bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { receipt } from './support/posts.ts';
import { shows, working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

interface Element {
  readonly action_id?: string;
  readonly value?: string;
}

/** The button of what was shown, as it would be pressed. */
function buttonOf(call: SlackCall | undefined, actionId: string): string {
  const blocks = (call?.args.blocks ?? []) as readonly { readonly elements?: readonly Element[] }[];
  const elements = blocks.flatMap(({ elements = [] }) => elements);
  return elements.find(({ action_id }) => action_id === actionId)?.value ?? '';
}

async function aSentReply(world: World): Promise<{ card: SlackMessage; reply: SlackMessage }> {
  const card = await working(world);
  const message = { channel: general, user: bob, text: 'Use teh CLI', threadTs: card.ts };
  const reply = await world.slack.message(message);
  await world.clock.advance(4_000);
  await receipt(world.slack, reply, 'white_check_mark');
  return { card, reply };
}

describeWithLocalSlack('editing a reply that was sent (F3)', () => {
  test('offers its author the correction, which goes out once, also after a restart', async () => {
    await using world = await startWorld({ mode: 'http' });
    const { card, reply } = await aSentReply(world);
    await world.slack.editMessage(reply, 'Use the CLI');
    const offers = () => world.proxy.calls('chat.postEphemeral');
    await expect.poll(() => offers().length, { message: 'the offer' }).toBe(1);
    expect(offers()[0]?.args).toMatchObject({ user: bob, thread_ts: card.ts });
    await world.restart();
    const press = () =>
      world.signed.sendAction({
        channelId: general,
        userId: bob,
        message: reply,
        actionId: 'send_correction',
        blockId: 'b',
        value: buttonOf(offers()[0], 'send_correction'),
      });
    expect((await press()).status).toBe(200);
    expect((await press()).status).toBe(200);
    await world.clock.advance(4_000);
    const prompts = () => world.api.jobs[0]?.prompts;
    await world.later(prompts, has(3), 'the correction');
    expect((await press()).status).toBe(200);
    await world.clock.advance(10_000);
    expect(prompts()).toEqual([
      'Add a quickstart',
      'Use teh CLI',
      'Correction of an earlier message: Use the CLI',
    ]);
    await receipt(world.slack, reply, 'white_check_mark');
  });
});

describeWithLocalSlack('replies that wait', () => {
  test('are counted on the card, with the time and *Send now*, which works once and then says so (F2, F3)', async () => {
    await using world = await startWorld({ settings: { FOLLOW_UP_WINDOW: '60s' } });
    const card = await working(world);
    await world.slack.reply(card, 'Use the CLI');
    const waiting = await shows(world, card, 'Send now');
    expect(waiting.text).toMatch(/1 reply waiting until <!date/);
    await world.slack.press(waiting, 'send_now', bob);
    await expect.poll(() => world.api.counts.message, { message: 'the follow-up' }).toBe(1);
    await world.later(
      async () => (await world.card(card)).includes('Send now'),
      false,
      'the card without it',
    );

    await world.slack.press(waiting, 'send_now', bob);
    await world.later(
      () => world.slack.messages(general),
      (all) => all.some(({ text, subtype }) => subtype === 'ephemeral' && text.includes('Already done')),
      'the answer to the second press',
    );
    expect(world.api.counts.message).toBe(1);
  });
});
