import { describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import type { StrictFault } from '../support/strict-slack/web-api.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

const write = ({ slack }: StrictWorld, text: string, place: { channel?: string; threadTs?: string } = {}) =>
  slack.control.message({ channel: general, user: alice, text, ...place });
const shows = ({ slack, later }: StrictWorld, message: SlackMessage, ...names: string[]) =>
  later(
    () => slack.control.reactions(message),
    (shown) => shown.join() === names.join(),
    `the reaction ${names.join() || 'none'}`,
  );
function finish({ api }: StrictWorld, status: string, prLink: string | null = null): void {
  const job = api.jobs.at(-1);
  if (job === undefined) throw new Error('there is no job');
  api.finish(job.id, { status, prLink });
}
/** What was put at the message, in order. */
const added = ({ slack }: StrictWorld, { ts }: SlackMessage) =>
  slack.calls('reactions.add').filter(({ args }) => args.timestamp === ts);

describe('the message that starts a job shows how it stands', () => {
  test.each([
    ['a mention', general, bot],
    ['a direct message', alice, ''],
  ])(
    'from %s to the pull request, and again for a reply, one reaction at a time',
    async (_, channel, mention) => {
      await using world = await startStrictWorld();
      const root = await write(world, `${mention} Document the rate limits`, { channel });
      await shows(world, root, 'gear');
      finish(world, 'completed', 'https://github.com/acme/docs/pull/1');
      await shows(world, root, 'white_check_mark');
      const reply = await write(world, 'And the retries', { channel, threadTs: root.ts });
      await shows(world, root, 'gear');
      finish(world, 'completed', 'https://github.com/acme/docs/pull/1');
      await shows(world, root, 'white_check_mark');
      expect(await world.slack.control.reactions(reply)).toEqual(['white_check_mark']);
      const names = added(world, root).map(({ args }) => args.name);
      // 👀 is left out if the agent is at work before it could be shown.
      const later = ['gear', 'white_check_mark', 'gear', 'white_check_mark'];
      expect(names.filter((name) => name !== 'eyes')).toEqual(later);
    },
  );

  test('taken, as long as the agent is not asked', async () => {
    await using world = await startStrictWorld();
    world.api.failNext('create', { status: 429, headers: { 'retry-after': '120' } });
    const root = await write(world, `${bot} Document the rate limits`);
    await shows(world, root, 'eyes');
    await shows(world, root, 'gear');
  });

  test('failed, unclear, and taken again by a press', async () => {
    await using world = await startStrictWorld();
    world.api.failNext('create', 'reset_after');
    const root = await write(world, `${bot} Document the rate limits`);
    await shows(world, root, 'question');
    const offer = (await world.slack.control.thread(general, root.ts)).findLast(({ blocks }) =>
      JSON.stringify(blocks ?? []).includes('start_again'),
    );
    if (offer === undefined) throw new Error('no offer to start again');
    await world.slack.control.press(offer, 'start_again', alice);
    await shows(world, root, 'gear');
    finish(world, 'failed');
    await shows(world, root, 'x');
  });

  test('in a thread of others: at the mention, not at the root', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const root = await control.message({ channel: general, user: bob, text: 'The limits are unclear' });
    const mention = await write(world, `${bot} Document this`, { threadTs: root.ts });
    const choice = await world.sentPrivately(general, "There's no job in this thread yet");
    await control.press(choice, 'choose_messages', alice);
    await expect
      .poll(() => JSON.stringify(control.modal(alice)), { message: 'the form' })
      .toSatisfy((form) => form?.includes('Document this') ?? false);
    expect(await control.reactions(mention)).toEqual([]);
    await control.submit(alice);
    await shows(world, mention, 'gear');
    expect(await control.reactions(root)).toEqual([]);
  });
});

test('a state that is over before Slack takes its reaction is skipped', async () => {
  await using world = await startStrictWorld();
  let isBusy = true;
  world.slack.onCall(({ method }) =>
    isBusy && method.startsWith('reactions.') ? { status: 429, headers: { 'retry-after': '5' } } : null,
  );
  const root = await write(world, `${bot} Document the rate limits`);
  await world.threadMessage(root, 'On it');
  finish(world, 'completed', 'https://github.com/acme/docs/pull/1');
  await world.threadMessage(root, 'https://github.com/acme/docs/pull/1');
  isBusy = false;
  const before = added(world, root).length;
  await shows(world, root, 'white_check_mark');
  expect(added(world, root).slice(before)).toHaveLength(1);
});

test.each<StrictFault>(['reset_after', 'half_body', { errorAfter: 'internal_error' }])(
  'a reaction without an answer (%j) is taken away when the next one comes',
  async (fault) => {
    await using world = await startStrictWorld();
    world.slack.onCall(({ method, args }) =>
      method === 'reactions.add' && args.name === 'gear' ? fault : null,
    );
    const root = await write(world, `${bot} Document the rate limits`);
    await world.threadMessage(root, 'On it');
    finish(world, 'completed');
    await shows(world, root, 'white_check_mark');
    await world.settled(60_000);
    expect(await world.slack.control.reactions(root)).toEqual(['white_check_mark']);
  },
);

test('a message that was deleted gets no further reaction, and the job goes on without a word of it', async () => {
  await using world = await startStrictWorld();
  const root = await write(world, `${bot} Document the rate limits`);
  await shows(world, root, 'gear');
  world.slack.onCall(({ method }) =>
    method.startsWith('reactions.') ? { error: 'message_not_found' } : null,
  );
  finish(world, 'completed');
  await world.settled(60_000);
  const before = added(world, root).length;
  await write(world, 'And the retries', { threadTs: root.ts });
  await world.settled(60_000);
  expect(world.prompts()).toEqual([['Document the rate limits', 'And the retries']]);
  expect(added(world, root)).toHaveLength(before);
  expect(world.log.filter((line) => line.includes('reaction_not_shown') && !line.includes('debug'))).toEqual(
    [],
  );
});

test('a command has no message to react to', async () => {
  await using world = await startStrictWorld();
  const card = await world.ask('Add a quickstart');
  await world.settled(30_000);
  expect(await world.slack.control.reactions(card)).toEqual([]);
});
