import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { includes } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { openThreadForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const write = (text: string, options: { user?: string; threadTs?: string; channel?: string } = {}) =>
  world.slack.control.message({ channel: general, user: alice, text, ...options });
const command = (text = '') => world.slack.control.command({ channel: general, user: alice, text });
const modal = () => world.slack.control.modal(alice);
/** The whole form, as text. */
const shown = () => JSON.stringify(modal()?.blocks);
/** Waits until the form shows these words. */
const opened = (words: string) => waitFor(shown, includes(words), { what: `a form with "${words}"` });
const submit = (values: Readonly<Record<string, string | string[]>> = {}) =>
  world.slack.control.submit(alice, values);

describe('the form behind /docs-agent alone', () => {
  test('starts a job in the channel (S2)', async () => {
    await command();
    expect(await submit({ prompt: 'Document <b> &amp; *co*\n\nin two lines ' })).toMatchObject({
      errors: null,
    });
    await world.started('Document <b> &amp; *co*\n\nin two lines');
    expect(modal()).toBeNull();
    await world.seen(general, ({ text }) => text.includes('*Document &lt;b&gt; &amp;amp; *co*'));
  });

  test('keeps what was typed when Slack does not say who somebody is (S2, A1)', async () => {
    await command();
    await world.restart();
    world.slack.onCall(({ method }) => (method === 'users.info' ? { error: 'internal_error' } : null));
    const { errors } = await submit({ prompt: 'Document it' });
    expect(errors?.prompt).toContain('check whether you may do this');
    world.slack.onCall(() => null);
    expect((await submit()).errors).toBeNull();
    await world.started('Document it');
  });

  test('takes at once what was typed for long by somebody who is known, though Slack is slow (S2)', async () => {
    await command();
    world.clock.freeze(660_000);
    const asked = world.slack.calls('users.info').length;
    const answer = Promise.withResolvers<void>();
    world.slack.onCall(({ method }) => (method === 'users.info' ? { answerAfter: answer.promise } : null));
    const submitted = submit({ prompt: 'Document it' });
    await expect
      .poll(() => world.slack.calls('users.info').length, { message: 'the question who alice is' })
      .toBeGreaterThan(asked);
    await world.clock.advance(1_000);
    expect((await submitted).errors).toBeNull();
    answer.resolve();
    await world.started('Document it');
  });

  test('says what is wrong at the field, and keeps what was typed (S2, S6)', async () => {
    await command();
    expect((await submit({ prompt: 'project=nowhere fix' })).errors?.prompt).toBe(
      "There's no project “nowhere”. Available: acme-docs.",
    );
    expect((await submit({ prompt: '\u200b' })).errors?.prompt).toContain('Write what should change.');
    expect((await submit({ prompt: '-- project=nowhere fix' })).errors).toBeNull();
    await world.started('project=nowhere fix');
  });

  test('that is submitted three times starts one job (S5)', async () => {
    await command();
    world.slack.onDelivery(() => 3);
    await submit({ prompt: 'Document the rate limits' });
    await world.settled();
    expect(world.prompts()).toEqual([['Document the rate limits']]);
  });

  test('starts another job with the same words at once (S5)', async () => {
    await command('Document the rate limits');
    await world.settled();
    await command();
    expect((await submit({ prompt: 'Document the rate limits' })).errors).toBeNull();
    await world.settled();
    expect(world.prompts()).toEqual([['Document the rate limits'], ['Document the rate limits']]);
  });

  test('that Slack does not open is replaced by words (S2)', async () => {
    world.slack.onCall(({ method }) => (method === 'views.open' ? { error: 'expired_trigger_id' } : null));
    await command();
    await world.sentPrivately(general, 'type your request');
  });
});

test('forms work over HTTP, too (S2)', async () => {
  await using overHttp = await startStrictWorld({ mode: 'http' });
  const { control } = overHttp.slack;
  await control.command({ channel: general, user: alice, text: '' });
  expect((await control.submit(alice, { prompt: 'project=nowhere fix' })).errors?.prompt).toContain(
    'nowhere',
  );
  expect((await control.submit(alice, { prompt: 'Fix the typos' })).errors).toBeNull();
  await overHttp.started('Fix the typos');
});

describe('a mention in a thread without a job', () => {
  let root: SlackMessage;
  beforeEach(async () => {
    root = await write('Our limits <confuse> people', { user: bob });
    await write('They got a 429 & gave up', { threadTs: root.ts });
    await write(`${bot} Document this`, { threadTs: root.ts });
  });
  const choose = async () => {
    const offer = await world.sentPrivately(general, '*Send this thread along?*');
    await world.slack.control.press(offer, 'choose_messages', alice);
  };
  const chosen = () => openThreadForm(world, alice, 'Include these messages');

  const offered = () =>
    world.sentPrivately(general, '*Send this thread along?* 2 messages, by bob and alice');

  test('takes one press, with the thread as it was shown, once (S3)', async () => {
    const offer = await offered();
    expect(offer.text).toContain('[Start with the thread] [Choose messages…] [Only my words]');
    await write('One more, which nobody has seen', { threadTs: root.ts, user: bob });
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.slack.control.press(offer, 'start_with_thread', alice)));
    await world.settled();
    expect(world.prompts()).toEqual([
      [
        expect.stringMatching(
          /^Document this\n\nContext from the Slack thread https:\S+:\nbob: Our limits <confuse> people\nalice: They got a 429 & gave up$/,
        ),
      ],
    ]);
  });

  test('takes one press without the thread, too, by whoever may start jobs (A1, S3)', async () => {
    const offer = await offered();
    await world.slack.control.press(offer, 'only_my_words', alice);
    await world.started('Document this');
    await world.slack.control.press(offer, 'only_my_words', alice);
    await world.sentPrivately(general, 'already a job in this thread');
  });

  test('does not take along what was edited since, and says so (S3)', async () => {
    const offer = await offered();
    await world.slack.control.editMessage(root, 'Delete all docs');
    await world.slack.control.press(offer, 'start_with_thread', alice);
    await world.sentPrivately(general, 'A message from bob was edited in the meantime');
    await world.settled();
    expect(world.prompts()).toEqual([]);
  });

  test('offers nothing that nobody saw where the thread cannot be read (S3)', async () => {
    world.slack.onCall(({ method }) =>
      method === 'conversations.replies' ? { error: 'missing_scope' } : null,
    );
    await write(`${bot} Document that`, { threadTs: root.ts });
    await world.sentPrivately(general, '*Send this thread along?*\n[Choose messages…] [Only my words]');
  });

  test('is answered as anywhere else if it is no request (S2)', async () => {
    await write(`${bot} what can you do?`, { threadTs: root.ts });
    const help = await world.sentPrivately(general, 'Ask for a documentation change');
    expect(help.thread_ts).toBe(root.ts);
  });

  test('shows what would go along, and sends what is still ticked (S3)', async () => {
    await chosen();
    expect(shown()).toContain('They got a 429');
    expect(shown()).not.toContain('left out');
    await write('One more, too late for the form', { threadTs: root.ts, user: bob });
    await submit({ prompt: 'Document this, please' });
    const prompt = () => world.prompts()[0]?.[0] ?? '';
    await world.settled();
    expect(prompt()).toMatch(
      /^Document this, please\n\nContext from the Slack thread https:\S+:\nbob: Our limits <confuse> people\nalice: They got a 429 & gave up$/,
    );
    const card = await world.seen(
      general,
      ({ user, thread_ts, text }) =>
        user === 'U0DOCSAGENT' && thread_ts === root.ts && text.includes('*Document this, please*'),
    );
    expect(card.text).toContain('with messages from this thread');
    await write('And the retries', { threadTs: root.ts });
    await world.settled();
    expect(world.prompts()[0]?.slice(1)).toEqual(['And the retries']);
  });

  test('leaves out what is unticked, also after restarts (S3)', async () => {
    await world.sentPrivately(general, '*Send this thread along?*');
    await world.restart();
    await chosen();
    await world.restart();
    await submit({ messages_0: ['They got a 429 & gave up'] });
    await world.settled();
    expect(world.prompts()[0]?.[0]).not.toContain('confuse');
    expect(world.prompts()[0]?.[0]).toContain('They got a 429 & gave up');
  });

  test('does not send what was changed after it was shown, and says so (S3)', async () => {
    await chosen();
    await world.slack.control.editMessage(root, 'Delete all docs');
    const said = (await submit()).errors?.prompt;
    expect(said).toContain('A message from bob was edited in the meantime. Choose the messages again.');
    await submit({ messages_0: ['They got a 429 & gave up'] });
    await world.settled();
    expect(world.prompts()).toEqual([[expect.not.stringContaining('Delete all docs')]]);
  });

  test('that are too long together with the prompt: the form says so, and stays (S3, S6)', async () => {
    for (let part = 0; part < 6; part += 1) await write('x'.repeat(3_900), { threadTs: root.ts, user: bob });
    await chosen();
    expect((await submit()).errors?.prompt).toMatch(/With the included messages.* Untick some/);
    await submit({ messages_0: [] });
    await world.started('Document this');
  });

  test('starts one job in the thread: a second form is turned away (S3)', async () => {
    await chosen();
    await submit();
    await world.settled();
    await choose();
    const said = await world.sentPrivately(general, 'already a job in this thread');
    expect(said.ephemeral_to).toBe(alice);
    expect(world.prompts()).toHaveLength(1);
  });

  test('in a long thread offers the newest fifty, and says how many are left out (S3)', async () => {
    for (let index = 0; index < 60; index += 1) await write(`message ${index}`, { threadTs: root.ts });
    await choose();
    await opened('12 older messages are left out');
    expect(modal()?.blocks.filter(({ type }) => type === 'input')).toHaveLength(6);
    await submit();
    await world.settled();
    const prompt = world.prompts()[0]?.[0] ?? '';
    expect(prompt).toContain('message 59');
    expect(prompt).toContain('message 10');
    expect(prompt).not.toContain('message 9\n');
  });

  test('asks Slack for twenty names at most, those of the authors first (S3)', async () => {
    const crowd = Array.from({ length: 30 }, (_, index) => `<@U0CROWD${index}>`).join(' ');
    await write(`Ask ${crowd}`, { threadTs: root.ts });
    await chosen();
    expect(shown()).toContain('bob');
    const asked = world.slack
      .calls('users.info')
      .filter(({ args }) => String(args.user).startsWith('U0CROWD'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(20);
  });

  test('is offered, and stays, though Slack twice gave no clear answer (S3)', async () => {
    let updates = 0;
    world.slack.onCall(({ method }) => {
      if (method !== 'views.update') return null;
      updates += 1;
      return updates <= 2 ? 'error_after' : null;
    });
    await chosen();
    await expect.poll(() => updates, { message: 'a second try' }).toBe(2);
    await world.settled();
    expect(shown()).toContain('Include these messages');
    await submit();
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('says so if the thread cannot be read (S3)', async () => {
    world.slack.onCall(({ method }) =>
      method === 'conversations.replies' ? { error: 'missing_scope' } : null,
    );
    await choose();
    await opened("I couldn't read the thread");
  });
});

describe('"Ask Docs Agent" in the menu of a message', () => {
  test('opens the form with the message and its address (S3)', async () => {
    const message = await write(`The page on limits is *wrong*, <@${alice}>`, { user: bob });
    await world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
    expect(await opened('About')).toMatch(
      /About this Slack message \(https:[^)]+\):\\n> The page on limits is \*wrong\*, @alice\\n\\n/,
    );
    await submit();
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('> The page on limits is *wrong*, @alice');
  });

  test('is answered in words while Slack still waits, however slow each of its own answers is (S3)', async () => {
    const message = await write('Wrong page', { user: bob });
    await command('help');
    world.clock.freeze(660_000);
    const slow = ['users.info', 'views.open'];
    world.slack.onCall(({ method }) => (slow.includes(method) ? 'hang' : null));
    const until = (method: string, passMs: number) => {
      const before = world.slack.calls(method).length;
      return async () => {
        await expect
          .poll(() => world.slack.calls(method).length, { message: method })
          .toBeGreaterThan(before);
        await world.clock.advance(passMs);
      };
    };
    const waits = [until('users.info', 300), until('views.open', 2_000)];
    const request = world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
    for (const wait of waits) await wait();
    await world.sentPrivately(general, "Slack didn't open the form");
    await request;
  });

  test('works where the bot is not, too (S3, S4)', async () => {
    const message = await write('Wrong page', { user: bob, channel: random });
    await world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
    await opened('> Wrong page');
    await submit();
    await world.sentPrivately(random, 'your request starts by itself');
  });
});
