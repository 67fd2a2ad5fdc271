import { describe, expect, test } from 'vitest';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { openThreadForm } from './support/posts.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';
const typed = { prompt: 'Document it' };

describe('the form behind /docs-agent alone', () => {
  test.each(['socket', 'http'] as const)(
    'says what is wrong at the field, starts one job however often it is delivered, and another at once (%s; S2, S5, S6)',
    async (mode) => {
      await using world = await startStrictWorld({ mode });
      await world.command('');
      expect((await world.submit({ prompt: 'project=nowhere fix' }))?.prompt).toBe(
        "There's no project “nowhere”. Available: acme-docs.",
      );
      expect((await world.submit({ prompt: '\u200b' }))?.prompt).toContain('Write what should change.');
      world.slack.onDelivery(() => 3);
      const prompt = 'Document <b> &amp; *co*\n\nin two lines';
      expect(await world.submit({ prompt: `${prompt} ` })).toBeNull();
      world.slack.onDelivery(() => 1);
      await world.settled();
      expect(world.prompts()).toEqual([[prompt]]);
      expect(world.form()).toBe('');
      await world.seen(general, ({ text }) => text.includes('*Document &lt;b&gt; &amp;amp; *co*'));
      await world.command('');
      expect(await world.submit({ prompt })).toBeNull();
      await world.command('');
      expect(await world.submit({ prompt: '-- project=nowhere fix' })).toBeNull();
      await world.started('project=nowhere fix');
      expect(world.prompts()).toHaveLength(3);
    },
  );

  test('keeps what was typed when Slack does not say who somebody is, and is replaced by words if it does not open (S2, A1)', async () => {
    await using world = await startStrictWorld();
    const refuse = (refused: string, error: string) =>
      world.slack.onCall(({ method }) => (method === refused ? { error } : null));
    await world.command('');
    await world.restart();
    refuse('users.info', 'internal_error');
    expect((await world.submit(typed))?.prompt).toContain('check whether you may do this');
    refuse('views.open', 'expired_trigger_id');
    expect(await world.submit()).toBeNull();
    await world.started('Document it');
    await world.command('');
    await world.sentPrivately(general, 'type your request');
  });

  test('takes at once what was typed for long by somebody who is known, though Slack is slow (S2)', async () => {
    await using world = await startStrictWorld();
    await world.command('');
    world.clock.freeze(660_000);
    const looks = () => world.slack.calls('users.info').length;
    const asked = looks();
    const answer = Promise.withResolvers<void>();
    world.slack.onCall(({ method }) => (method === 'users.info' ? { answerAfter: answer.promise } : null));
    const submitted = world.submit(typed);
    await expect.poll(looks, { message: 'the question who alice is' }).toBeGreaterThan(asked);
    await world.clock.advance(1_000);
    expect(await submitted).toBeNull();
    answer.resolve();
    await world.started('Document it');
  });
});

describe('a mention in a thread without a job', () => {
  /** Bob and Alice talk, and Alice mentions the bot below. */
  async function mentioned(...more: readonly string[]) {
    const world = await startStrictWorld();
    world.slack.control.addUser({ id: 'U0CAROL', name: 'carol' });
    const root = await world.say('Our limits <confuse> people', { user: bob });
    await world.say('They got a 429 & gave up', { threadTs: root.ts });
    await world.say(`${bot} Document this`, { threadTs: root.ts });
    for (const text of more) await world.say(text, { threadTs: root.ts });
    const { control } = world.slack;
    return Object.assign(world, {
      root,
      write: (text: string, user = alice) => world.say(text, { threadTs: root.ts, user }),
      offered: () => world.sentPrivately(general, '*Send this thread along?* 2 messages, by bob and alice'),
      press: (offer: SlackMessage, button: string) => control.press(offer, button, alice),
      choose: () => openThreadForm(world, alice, 'Include these messages'),
    });
  }
  const failsAt = ({ slack }: StrictWorld, name: string, error = 'missing_scope') =>
    slack.onCall(({ method }) => (method === name ? { error } : null));

  test('takes one press, with the thread as it was shown, once (S3)', async () => {
    await using world = await mentioned();
    const offer = await world.offered();
    expect(offer.text).toContain('[Start with the thread] [Choose messages…] [Only my words]');
    await world.write('One more, which nobody has seen', bob);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.restart();
    await Promise.all([1, 2].map(() => world.press(offer, 'start_with_thread')));
    await world.settled();
    expect(world.prompts()).toEqual([
      [
        expect.stringMatching(
          /^Document this\n\nContext from the Slack thread https:\S+:\nbob: Our limits <confuse> people\nalice: They got a 429 & gave up$/,
        ),
      ],
    ]);
  });

  test('takes one press without the thread, too; then there is a job in the thread (S3)', async () => {
    await using world = await mentioned();
    const offer = await world.offered();
    await world.press(offer, 'only_my_words');
    await world.started('Document this');
    for (const [nth, button] of ['only_my_words', 'choose_messages'].entries()) {
      await world.press(offer, button);
      const words = 'already a job in this thread';
      const said = () =>
        world.slack.calls('response_url').filter(({ args }) => String(args.text).includes(words));
      await expect.poll(said, { message: button }).toHaveLength(nth + 1);
    }
    expect(world.prompts()).toEqual([['Document this']]);
  });

  test('does not take along what was edited since it was shown, and says so (S3)', async () => {
    await using world = await mentioned();
    const offer = await world.offered();
    await world.slack.control.editMessage(world.root, 'Delete all docs');
    await world.press(offer, 'start_with_thread');
    await world.sentPrivately(general, 'A message from bob was edited in the meantime');
    await world.choose();
    await world.slack.control.editMessage(world.root, 'Delete everything');
    expect((await world.submit())?.prompt).toContain(
      'A message from bob was edited in the meantime. Choose the messages again.',
    );
    expect(world.prompts()).toEqual([]);
    await world.submit({ messages_0: ['They got a 429 & gave up'] });
    await world.settled();
    expect(world.prompts()).toEqual([[expect.not.stringContaining('Delete')]]);
  });

  test('shows what would go along, and sends what is still ticked, also after restarts (S3)', async () => {
    await using world = await mentioned();
    await world.offered();
    await world.restart();
    await world.choose();
    expect(world.form()).toContain('They got a 429');
    expect(world.form()).not.toContain('left out');
    await world.write('One more, too late for the form', bob);
    await world.restart();
    await world.submit({ prompt: 'Document this, please', messages_0: ['They got a 429 & gave up'] });
    await world.settled();
    expect(world.prompts()[0]?.[0]).toMatch(
      /^Document this, please\n\nContext from the Slack thread https:\S+:\nalice: They got a 429 & gave up$/,
    );
    const card = await world.seen(
      general,
      ({ user, thread_ts, text }) =>
        user === 'U0DOCSAGENT' && thread_ts === world.root.ts && text.includes('*Document this, please*'),
    );
    expect(card.text).toContain('with messages from this thread');
    await world.write('And the retries');
    await world.settled();
    expect(world.prompts()[0]?.slice(1)).toEqual(['And the retries']);
  });

  test('offers nothing that nobody saw where the thread cannot be read, and says so; what is no request is answered (S2, S3)', async () => {
    await using world = await mentioned();
    failsAt(world, 'conversations.replies');
    await world.write(`${bot} Document that`);
    const offer = await world.sentPrivately(
      general,
      '*Send this thread along?*\n[Choose messages…] [Only my words]',
    );
    await world.press(offer, 'choose_messages');
    await world.formShows("I couldn't read the thread");
    await world.write(`${bot} what can you do?`);
    const help = await world.sentPrivately(general, 'Ask for a documentation change');
    expect(help.thread_ts).toBe(world.root.ts);
  });

  test('that are too long together with the prompt: the form says so, and stays (S3, S6)', async () => {
    await using world = await mentioned(...Array<string>(6).fill('x'.repeat(3_900)));
    await world.choose();
    expect((await world.submit())?.prompt).toMatch(/With the included messages.* Untick some/);
    await world.submit({ messages_0: [] });
    await world.started('Document this');
  });

  test('in a long thread offers the newest fifty, says how many are left out, and asks for twenty names at most (S3)', async () => {
    const crowd = Array.from({ length: 30 }, (_, index) => `<@U0CROWD${index}>`).join(' ');
    const many = Array.from({ length: 60 }, (_, index) => `message ${index}`);
    await using world = await mentioned(...many, `Ask ${crowd}`);
    await world.write('Who is that?', 'U0CAROL');
    await world.choose();
    // The names of the authors first.
    expect(await world.formShows('14 older messages are left out')).toContain('carol');
    expect(world.slack.control.modal(alice)?.blocks.filter(({ type }) => type === 'input')).toHaveLength(6);
    const names = world.slack.calls('users.info').filter(({ args }) => String(args.user).includes('CROWD'));
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(20);
    await world.submit();
    await world.settled();
    const prompt = world.prompts()[0]?.[0] ?? '';
    expect(prompt).toContain('message 12\n');
    expect(prompt).not.toContain('message 11\n');
  });

  test('is offered, and stays, though Slack twice gave no clear answer (S3)', async () => {
    await using world = await mentioned();
    let updates = 0;
    world.slack.onCall(({ method }) => {
      if (method !== 'views.update') return null;
      updates += 1;
      return updates <= 2 ? 'error_after' : null;
    });
    await world.choose();
    await expect.poll(() => updates, { message: 'a second try' }).toBe(2);
    await world.settled();
    expect(world.form()).toContain('Include these messages');
    await world.submit();
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });
});

describe('"Ask Docs Agent" in the menu of a message', () => {
  test('opens the form with the message and its address, also where the bot is not (S3, S4)', async () => {
    await using world = await startStrictWorld();
    const ask = async (message: SlackMessage) => {
      await world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
      const shown = await world.formShows('About');
      await world.submit();
      return shown;
    };
    const message = await world.say(`The page on limits is *wrong*, <@${alice}>`, { user: bob });
    expect(await ask(message)).toMatch(
      /About this Slack message \(https:[^)]+\):\\n> The page on limits is \*wrong\*, @alice\\n\\n/,
    );
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('> The page on limits is *wrong*, @alice');
    expect(await ask(await world.say('Old page', { user: bob, channel: random }))).toContain('> Old page');
    await world.sentPrivately(random, 'your request starts by itself');
  });

  test('is answered in words while Slack still waits, however slow each of its own answers is (S3)', async () => {
    await using world = await startStrictWorld();
    const message = await world.say('Wrong page', { user: bob });
    await world.command('help');
    world.clock.freeze(660_000);
    const slow = ['users.info', 'views.open'];
    world.slack.onCall(({ method }) => (slow.includes(method) ? 'hang' : null));
    const until = (method: string, passMs: number) => {
      const calls = () => world.slack.calls(method).length;
      const before = calls();
      return async () => {
        await expect.poll(calls, { message: method }).toBeGreaterThan(before);
        await world.clock.advance(passMs);
      };
    };
    const waits = [until('users.info', 300), until('views.open', 2_000)];
    const request = world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
    for (const wait of waits) await wait();
    await world.sentPrivately(general, "Slack didn't open the form");
    await request;
  });
});
