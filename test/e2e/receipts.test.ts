import { describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

test('a receipt that was put up without an answer is taken away when the next one comes; one that was not is put up later (F1)', async () => {
  await using world = await startStrictWorld();
  const { slack } = world;
  const card = await world.working();
  const meet = (emoji: string, faults: StrictFault[]) =>
    slack.onCall(({ method, args }) =>
      method === 'reactions.add' && args.name === emoji ? (faults.shift() ?? null) : null,
    );
  const put: StrictFault[] = ['reset_after', 'half_body', 'error_after', { errorAfter: 'internal_error' }];
  const notPut: StrictFault[] = ['reset_before', { status: 500 }];
  for (const [emoji, fault] of [
    ...put.map((fault) => ['eyes', fault] as const),
    ...notPut.map((fault) => ['white_check_mark', fault] as const),
  ]) {
    meet(emoji, emoji === 'eyes' ? Array(9).fill(fault) : [fault, fault]);
    const reply = await slack.control.reply(card, `Because of ${JSON.stringify(fault)}`);
    await world.later(() => slack.control.reactions(reply), includes('white_check_mark'), 'the receipt');
    slack.onCall(() => null);
    await world.clock.advance(60_000);
    expect(await slack.control.reactions(reply), String(fault)).toEqual(['white_check_mark']);
  }
});

test('nothing is put on the message that asked: a mention, or a direct message (F1)', async () => {
  await using world = await startStrictWorld();
  const { slack, api } = world;
  for (const [channel, text] of [
    [general, '<@U0DOCSAGENT> Add a quickstart'],
    [alice, 'Add a glossary'],
  ] as const) {
    const request = await world.say(text, { channel });
    await world.threadMessage(request, 'Working');
    api.finish(-1, { status: 'completed' });
    await world.threadMessage(request, 'Done, no pull request');
    await world.clock.advance(60_000);
    expect(await slack.control.reactions(request)).toEqual([]);
  }
  expect(slack.calls('reactions.add')).toEqual([]);
});

describe('an edit that got no answer, and reaches Slack after a later one', () => {
  /** The next call of the method gets no answer, and reaches Slack when the returned function is called. */
  function delayNext(world: StrictWorld, method: string): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isDelayed = false;
    world.slack.onCall((call) => {
      if (isDelayed || call.method !== method) return null;
      isDelayed = true;
      return { lateAfter: promise };
    });
    return async () => {
      expect(isDelayed).toBe(true);
      resolve();
      await world.settled(30_000);
    };
  }

  test('does not leave an old receipt at a reply, nor an old state at the card (F1, W2)', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const card = await world.working('Document the limits');
    const putUp = delayNext(world, 'reactions.add');
    const reply = await control.reply(card, 'And errors');
    await world.later(() => control.reactions(reply), includes('white_check_mark'), 'the receipt');
    await putUp();
    expect(await control.reactions(reply)).toEqual(['white_check_mark']);

    const other = await world.ask('Document the errors');
    const edit = delayNext(world, 'chat.update');
    await world.threadMessage(other, 'On it');
    world.api.finish(1, { status: 'completed' });
    await world.shows(other, 'Done, no pull request');
    await edit();
    const now = (await control.messages(general)).find(({ ts }) => ts === other.ts);
    expect(now?.text).toContain('Done, no pull request');
  });

  test('does not leave an old state at the home (L2)', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const home = () => JSON.stringify(control.home(alice)?.blocks ?? []);
    const publish = delayNext(world, 'views.publish');
    await control.openHome(alice);
    await world.ask('Document the limits');
    await world.later(home, includes('Document the limits'), 'the job at home');
    await publish();
    expect(home()).toContain('Document the limits');
  });
});
