import { expect, test } from 'vitest';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('nothing ends in silence', () => {
  test('a reply to a card whose posting has not been answered yet is a follow-up (F2)', async () => {
    await using world = await startWorld();
    const answered = Promise.withResolvers<void>();
    world.proxy.fail('chat.postMessage', { answerAfter: answered.promise });
    const root = await world.ask('Add a quickstart');
    const reply = await world.slack.message({
      channel: general,
      user: bob,
      text: 'Be quick',
      threadTs: root.ts,
    });
    answered.resolve();
    await world.later(
      () => world.slack.reactions(reply),
      (names) => names.includes('white_check_mark'),
      'the reply to be accepted',
    );
    expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Be quick']);
  });

  test('what Slack does not let the bot say in the thread is told to the requester privately', async () => {
    await using world = await startWorld();
    const root = await world.ask('Add a quickstart');
    await world.threadMessage(root, 'On it');
    const refused = { error: 'not_in_channel' };
    world.proxy.fail('chat.postMessage', refused);
    const [job] = world.api.jobs;
    world.api.finish(job?.id ?? '', { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
    const private_ = await world.later(
      () => world.proxy.calls('chat.postMessage').filter(({ args }) => args.channel === alice),
      (messages) => messages.length === 1,
      'the private answer',
    );
    expect(private_[0]?.args.text).toContain('https://github.com/acme/docs/pull/1');
  });

  test('a request that waits for an administrator is said to be kept, once, and starts when it can (E2)', async () => {
    await using world = await startWorld();
    const revoked = { error: 'missing_scope' };
    world.proxy.fail('chat.postMessage', revoked, revoked, revoked);
    await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
    const told = () =>
      world.slack
        .messages(general)
        .then((messages) => messages.filter(({ ephemeral_to }) => ephemeral_to === alice));
    await expect
      .poll(told, { message: 'the private answer' })
      .toSatisfy(([first]) => first?.text.includes('saved') ?? false);
    await world.later(
      () => world.api.jobs.length,
      (count) => count === 1,
      'the job',
    );
    expect(await told()).toHaveLength(1);
  });

  test('a rate limit of zero seconds is no busy loop', async () => {
    await using world = await startWorld();
    const limited = { status: 429, headers: { 'retry-after': '0' } };
    world.proxy.fail('chat.postMessage', limited, limited, limited);
    await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
    await expect
      .poll(() => world.proxy.calls('chat.postMessage').length, { message: 'the first try' })
      .toBe(1);
    await world.clock.advance(900);
    expect(world.proxy.calls('chat.postMessage')).toHaveLength(1);
    await world.later(
      () => world.api.jobs.length,
      (count) => count === 1,
      'the job',
    );
    expect(world.proxy.calls('chat.postMessage').length).toBeLessThan(8);
  });
});
