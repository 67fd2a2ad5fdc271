import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

test.each<StrictFault>(['reset_after', 'half_body', 'error_after', { errorAfter: 'internal_error' }])(
  'a receipt that was put up without an answer (%j) is taken away when the next one comes (F1)',
  async (fault) => {
    await using program = await startProgram();
    const { slack } = program;
    const card = await program.working();
    slack.onCall(({ method, args }) => (method === 'reactions.add' && args.name === 'eyes' ? fault : null));
    const reply = await slack.control.reply(card, 'And a table');
    await program.later(() => slack.control.reactions(reply), includes('white_check_mark'), 'the receipt');
    await program.clock.advance(600_000);
    expect(await slack.control.reactions(reply)).toEqual(['white_check_mark']);
  },
);

test.each<StrictFault>(['reset_before', { status: 500 }])(
  'a receipt that was not put up (%j) is put up later (F1)',
  async (fault) => {
    await using program = await startProgram();
    const { slack } = program;
    const card = await program.working();
    let faults = 0;
    slack.onCall(({ method, args }) => {
      if (method !== 'reactions.add' || args.name !== 'white_check_mark' || faults === 2) return null;
      faults += 1;
      return fault;
    });
    const reply = await slack.control.reply(card, 'And a table');
    await program.later(() => slack.control.reactions(reply), ['white_check_mark'], 'the receipt');
  },
);

test.each([
  ['a mention', general, '<@U0DOCSAGENT> '],
  ['a direct message', alice, ''],
])('nothing is put on the message that asked: %s', async (_, channel, mention) => {
  await using program = await startProgram();
  const { slack, api } = program;
  const request = await slack.control.message({ channel, user: alice, text: `${mention}Add a quickstart` });
  await program.threadMessage(request, 'Working');
  api.finish(-1, {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/1',
  });
  await program.threadMessage(request, 'Pull request ready');
  await program.clock.advance(60_000);
  expect(await slack.control.reactions(request)).toEqual([]);
  expect(slack.calls('reactions.add')).toEqual([]);
});

let world: StrictWorld;

beforeEach(async () => {
  world = await startStrictWorld();
});

afterEach(() => world[Symbol.asyncDispose]());

/** The next call of the method gets no answer, and reaches Slack when the returned function is called. */
function delayNext(method: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDelayed = false;
  world.slack.onCall((call) => {
    if (isDelayed || call.method !== method) return null;
    isDelayed = true;
    return { lateAfter: promise };
  });
  return resolve;
}

describe('an edit that got no answer, and reaches Slack after a later one', () => {
  test('does not leave an old state at the card (W2)', async () => {
    const arrive = delayNext('chat.update');
    const card = await world.working('Document the limits');
    world.api.finish(0, { status: 'completed' });
    await world.shows(card, 'Done, no pull request');
    arrive();
    await world.settled(30_000);
    const now = (await world.slack.control.messages(general)).find(({ ts }) => ts === card.ts);
    expect(now?.text).toContain('Done, no pull request');
  });

  test('does not leave an old receipt at a reply (F1)', async () => {
    const { control } = world.slack;
    const card = await world.working('Document the limits');
    const arrive = delayNext('reactions.add');
    const reply = await control.reply(card, 'And errors');
    await world.later(() => control.reactions(reply), includes('white_check_mark'), 'the receipt');
    arrive();
    await world.settled(30_000);
    expect(await control.reactions(reply)).toEqual(['white_check_mark']);
  });

  test('does not leave an old state at the home (L2)', async () => {
    const { control } = world.slack;
    const home = () => JSON.stringify(control.home(alice)?.blocks ?? []);
    const arrive = delayNext('views.publish');
    await control.openHome(alice);
    await world.ask('Document the limits');
    await world.later(home, includes('Document the limits'), 'the job at home');
    arrive();
    await world.settled(30_000);
    expect(home()).toContain('Document the limits');
  });
});
