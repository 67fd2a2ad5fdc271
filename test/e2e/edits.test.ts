import { afterAll, beforeAll, expect, test } from 'vitest';
import { bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { receipt } from './support/posts.ts';
import { startWorld, type World } from './support/world.ts';

describeWithLocalSlack('a reply that waits, and is changed in Slack (F3)', () => {
  test('goes out as it reads then, or not at all if it was deleted', async () => {
    await using world = await startWorld();
    const card = await world.ask('Add a quickstart');
    await world.threadMessage(card, 'On it');
    const reply = (text: string) => world.slack.reply(card, text);
    const changed = await reply('Mention teh CLI');
    const deleted = await reply('Never mind');
    await world.slack.editMessage(changed, 'Mention the CLI');
    await world.slack.deleteMessage(deleted);
    await world.clock.advance(4_000);
    await expect
      .poll(() => world.api.jobs[0]?.prompts, { message: 'the message' })
      .toEqual(['Add a quickstart', 'Mention the CLI']);
    await receipt(world.slack, changed, 'white_check_mark');
  });
});

describeWithLocalSlack('changes that Slack delivers late, twice, or before the message', () => {
  let world: World & AsyncDisposable;
  let card: SlackMessage;
  let lastTs = 0;

  beforeAll(async () => {
    world = await startWorld({ mode: 'http' });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const newTs = () => {
    lastTs = Math.max(lastTs + 1, Math.trunc(world.clock.now() / 1000));
    return `${lastTs}.000100`;
  };
  const working = async (prompt: string) => {
    card = await world.ask(prompt);
    await world.threadMessage(card, 'On it');
  };
  const message = (ts: string, text: string, edited?: string) => ({
    type: 'message',
    user: bob,
    ts,
    thread_ts: card.ts,
    text,
    ...(edited === undefined ? {} : { edited: { user: bob, ts: edited } }),
  });
  const send = (event: object) =>
    world.signed.sendEvent({ event: { channel: general, ...event }, eventId: `Ev ${crypto.randomUUID()}` });
  const written = (ts: string, text: string) => send(message(ts, text));
  const edited = (ts: string, text: string, editedTs: string) =>
    send({ type: 'message', subtype: 'message_changed', message: message(ts, text, editedTs) });
  const deleted = (ts: string, text: string) =>
    send({
      type: 'message',
      subtype: 'message_deleted',
      deleted_ts: ts,
      previous_message: message(ts, text),
    });
  const followUps = async () => {
    await world.clock.advance(4_000);
    const [prompt, ...rest] = world.api.jobs.at(-1)?.prompts ?? [];
    return prompt === undefined ? [] : rest;
  };

  test('an edit that overtakes its message counts, and the message after it does not', async () => {
    await working('Edit first');
    const ts = newTs();
    await edited(ts, 'As edited', `${Math.trunc(Number(ts)) + 1}.000000`);
    await written(ts, 'As written');
    await expect.poll(followUps, { message: 'the message' }).toEqual(['As edited']);
  });

  test('a deletion that overtakes its message withdraws it', async () => {
    await working('Delete first');
    const ts = newTs();
    await deleted(ts, 'Gone');
    await written(ts, 'Gone');
    await written(newTs(), 'Stays');
    await expect.poll(followUps, { message: 'the message' }).toEqual(['Stays']);
  });

  test('the last edit counts, in whatever order they come, also twice', async () => {
    await working('Edits out of order');
    const ts = newTs();
    await written(ts, 'One');
    await Promise.all([
      edited(ts, 'Three', `${ts.slice(0, -6)}000300`),
      edited(ts, 'Two', `${ts.slice(0, -6)}000200`),
      edited(ts, 'Three', `${ts.slice(0, -6)}000300`),
    ]);
    await expect.poll(followUps, { message: 'the message' }).toEqual(['Three']);
  });

  test('the preview of a link, which Slack adds as a change, is no edit', async () => {
    await working('A preview');
    const ts = newTs();
    await written(ts, 'See https://example.com');
    await send({
      type: 'message',
      subtype: 'message_changed',
      message: { ...message(ts, 'See https://example.com'), attachments: [{}] },
    });
    await expect.poll(followUps, { message: 'the message' }).toEqual(['See https://example.com']);
  });

  test('an edit of what was sent, or by the bot, changes nothing', async () => {
    await working('After it was sent');
    const ts = newTs();
    await written(ts, 'Sent');
    await expect.poll(followUps, { message: 'the message' }).toEqual(['Sent']);
    await edited(ts, 'Too late', `${Math.trunc(Number(ts)) + 1}.000000`);
    await send({
      type: 'message',
      subtype: 'message_changed',
      message: { ...message(newTs(), 'Bot', `${Number(ts) + 2}.000000`), bot_id: 'B1' },
    });
    await world.clock.advance(10_000);
    expect(await followUps()).toEqual(['Sent']);
  });
});
