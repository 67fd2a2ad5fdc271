import { expect, test } from 'vitest';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { agentCalls, killHard, type Outside, startOutside } from './support/outside.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const PROMPT = 'Add a quickstart';
/** The fault that is none. */
const pass = { answerAfter: Promise.resolve() };

const ask = (world: Outside, text = PROMPT) => world.slack.command({ channel: general, user: alice, text });

/** The card and the posts of a job that went well, in their order, by a word of each. */
const WHOLE_STORY = ['Pull request ready', 'On it', '🎉'];

/** Lets the job finish, and expects that nothing was said twice and that there was one agent job. */
async function expectWholeStory(world: Outside): Promise<void> {
  await world.messageSeen('On it');
  world.finish(PR);
  await world.messageSeen('🎉');
  const isRefreshed = ([card]: readonly SlackMessage[]) => card?.text.includes('Pull request ready') === true;
  const messages = await world.until(() => world.messages(), isRefreshed, 'the card to show the end');
  expect(messages.map(({ text }) => text)).toEqual(WHOLE_STORY.map((word) => expect.stringContaining(word)));
  expect(messages.slice(1).map(({ thread_ts }) => thread_ts)).toEqual(Array(2).fill(messages[0]?.ts));
  expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT]]);
  expect(world.api.counts).toMatchObject({ create: 1, message: 0 });
}

describeWithLocalSlack('after a kill -9 and a restart', () => {
  test.concurrent('while the agent works, the job goes on, and its pull request is announced once', async () => {
    await using world = await startOutside();
    const first = await world.start();
    await ask(world);
    await world.messageSeen('On it');
    await killHard(first);
    await world.start();
    await expectWholeStory(world);
  });

  for (const [what, words, postsBefore] of [
    ['the card', null, 0],
    ['a post in the thread', 'On it', 1],
    ['the announcement of the pull request', '🎉', 2],
  ] as const) {
    test.concurrent(`between the storing of ${what} at Slack and its answer, it is not posted again`, async () => {
      await using world = await startOutside();
      const before = Array.from({ length: postsBefore }, () => pass);
      world.proxy.fail('chat.postMessage', ...before, { answerAfter: new Promise(() => {}) });
      const first = await world.start();
      await ask(world);
      if (words === '🎉') {
        await world.messageSeen('On it');
        world.finish(PR);
      }
      await (words === null ? world.card() : world.messageSeen(words));
      await killHard(first);
      const second = await world.start();
      expect(await second.logged('post_looked_for')).toMatchObject({ outcome: 'adopted' });
      await expectWholeStory(world);
    });
  }

  for (const [what, fault] of [
    ['before the agent API took it', 'hang'],
    ['after the agent API took it', { answerAfter: new Promise(() => {}) }],
  ] as const) {
    test.concurrent(`during the create call, ${what}, nothing is created again until a person says so`, async () => {
      await using world = await startOutside();
      world.agentProxy.fail(agentCalls.create, fault);
      const first = await world.start();
      await ask(world);
      const isUnderWay = () =>
        fault === 'hang' ? world.agentProxy.calls(agentCalls.create).length : world.api.counts.create;
      await world.until(isUnderWay, (count) => count === 1, 'the create call to be under way');
      await killHard(first);

      await world.start();
      const offer = await world.messageSeen("Couldn't confirm the start");
      expect(world.agentProxy.calls(agentCalls.create)).toHaveLength(1);
      await world.slack.press(offer, 'start_again', alice);
      await world.messageSeen('On it');
      expect(world.agentProxy.calls(agentCalls.create)).toHaveLength(2);
    });
  }

  for (const [what, method, faults] of [
    // After the person who asks, the person who is mentioned is looked up.
    ['before the card was tried', 'users.info', [pass, 'hang']],
    ['before Slack took the card', 'chat.postMessage', ['hang']],
  ] as const) {
    test.concurrent(`right after the command was acknowledged, ${what}, the card appears`, async () => {
      await using world = await startOutside();
      world.proxy.fail(method, ...faults);
      const first = await world.start();
      await ask(world, `Ask <@${bob}> for a quickstart`);
      await world.until(
        () => world.proxy.calls(method).length,
        (count) => count === faults.length,
        'the call',
      );
      expect(await world.messages()).toEqual([]);
      await killHard(first);
      await world.start();
      await world.messageSeen('On it');
      expect(await world.messages()).toHaveLength(2);
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Ask @bob for a quickstart']]);
    });
  }

  test.concurrent('before the replies that were stored went out, they go out once', async () => {
    await using world = await startOutside({ FOLLOW_UP_WINDOW: '2s' });
    const first = await world.start();
    await ask(world);
    await world.messageSeen('On it');
    const { ts: threadTs } = await world.card();
    const reply = await world.slack.message({
      channel: general,
      user: bob,
      text: 'Mention the CLI',
      threadTs,
    });
    await killHard(first);
    expect(world.api.counts.message).toBe(0);
    await world.start();
    await world.until(
      () => world.slack.reactions(reply),
      (names) => names.join() === 'white_check_mark',
      'the receipt',
    );
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([[PROMPT, 'Mention the CLI']]);
    expect(world.api.counts).toMatchObject({ create: 1, message: 1 });
  });

  test.concurrent('during a message call, the reply is not sent again until a person says so', async () => {
    await using world = await startOutside();
    const first = await world.start();
    await ask(world);
    await world.messageSeen('On it');
    const { ts: threadTs } = await world.card();
    const send = agentCalls.messageTo(world.api.jobs[0]?.id ?? '');
    world.agentProxy.fail(send, 'hang');
    await world.slack.message({ channel: general, user: bob, text: 'Mention the CLI', threadTs });
    const sends = () => world.agentProxy.calls(send).length;
    await world.until(sends, (count) => count === 1, 'the message call to be under way');
    await killHard(first);

    await world.start();
    const offer = await world.messageSeen("Couldn't confirm");
    expect(sends()).toBe(1);
    await world.slack.press(offer, 'send_again', bob);
    await world.until(
      () => world.api.counts.message,
      (count) => count === 1,
      'the message',
    );
    expect(world.api.jobs[0]?.prompts).toEqual([PROMPT, 'Mention the CLI']);
  });
});
