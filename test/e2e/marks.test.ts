import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

const WEEK_MS = 7 * 86_400_000;
let world: StrictWorld;
beforeEach(async () => {
  world = await startMarkedWorld();
});
afterEach(() => world[Symbol.asyncDispose]());
const { write, react, unreact, raw, threadOf, drafts, draftOf, press, startJobIn, privately } = marksIn(
  () => world,
);

describe('a person who marks a message', () => {
  test('sees a draft in its thread, with its words, and nothing goes to the agent before Start (T2)', async () => {
    const message = await write('The limits <b> are *wrong*');
    await react(message);
    const draft = await draftOf(message);
    expect(draft.text).toMatch(
      /^📝 \*Draft\* from <https:\S+\|bob's message>\n“The limits &lt;b&gt; are \*wrong\*”/,
    );
    expect(draft.text).toContain('[Start] [Edit and start] [Dismiss]');
    expect(world.prompts()).toEqual([]);

    await press(draft, 'start_draft', bob);
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('> The limits <b> are *wrong*');
    const [settled, card] = await threadOf(message);
    expect(settled?.text).toContain('🚀 Started by bob');
    expect(settled?.text).not.toContain('[Start]');
    expect(card?.text).toContain('alice');
  });

  test('sends the other messages of the thread along, as they are at Start, without deleted ones (T2)', async () => {
    const root = await write('Our limits confuse people');
    const marked = await write('Here, too', { threadTs: root.ts });
    const edited = await write('They got a 429', { threadTs: root.ts });
    const deleted = await write('Nobody reads this', { threadTs: root.ts });
    await react(marked);
    const draft = await draftOf(root);
    expect(draft.text).toContain('3 messages of this thread included');
    await world.slack.control.editMessage(edited, 'They got a 430');
    await world.slack.control.deleteMessage(deleted);
    await press(draft, 'start_draft');
    await world.settled();
    const prompt = world.prompts()[0]?.[0] ?? '';
    expect(prompt).toMatch(/> Here, too\n\nContext from the Slack thread https:\S+:\n/);
    expect(prompt).toContain('bob: Our limits confuse people\nbob: They got a 430');
    expect(prompt).not.toContain('Nobody reads this');
  });

  test('sends a long message whole, although a form could not hold it (T2)', async () => {
    const message = await write(`${'The limits are wrong. '.repeat(300)}The end.`);
    await react(message);
    await press(await draftOf(message), 'start_draft');
    await expect.poll(() => world.prompts()[0]?.[0], { message: 'the prompt' }).toMatch(/wrong\. The end\.$/);
  });

  test.each(['reactions.get', 'chat.getPermalink', 'conversations.replies', 'users.info'])(
    'in a thread sees the draft in that thread, also if %s fails at first (T2)',
    async (method) => {
      const root = await write('Our limits confuse people');
      const marked = await write('Here, too', { threadTs: root.ts });
      let failures = 0;
      world.slack.onCall((call) => {
        const fails = call.method === method && failures < 2;
        if (fails) failures += 1;
        return fails ? { status: 500 } : null;
      });
      await react(marked);
      await world.settled(60_000);
      const draft = await draftOf(root);
      expect(failures).toBe(2);
      expect(draft.text).toContain(`/p${marked.ts.replace('.', '')}?thread_ts=${root.ts}`);
    },
  );

  test('chooses what goes along, and edits the request (T2)', async () => {
    const root = await write('Our limits confuse people');
    await write('Off topic', { threadTs: root.ts });
    await write('They got a 429', { threadTs: root.ts });
    await react(root);
    await press(await draftOf(root), 'choose_for_draft');
    const form = () => JSON.stringify(world.slack.control.modal(alice)?.blocks);
    await expect.poll(form, { message: 'the form' }).toContain('They got a 429');
    const { blocks = [] } = world.slack.control.modal(alice) ?? {};
    const options = JSON.stringify(blocks).match(/"value":"(\d+\.\d+\|[^"]*)"/g) ?? [];
    const second = options.at(-1)?.slice('"value":"'.length, -1) ?? '';
    const values = { prompt: 'Document the 429', messages_0: [second] };
    const { errors } = await world.slack.control.submit(alice, values);
    expect(errors).toBeNull();
    await world.settled();
    expect(world.prompts()[0]?.[0]).toMatch(
      /^Document the 429\n\nContext from the Slack thread \S+\nbob: They got a 429$/,
    );
    expect((await drafts(root))[0]?.text).toContain('🚀 Started by alice');
  });

  test('withdraws the draft by taking the mark away, and makes it once more by marking again (T2)', async () => {
    const message = await write('The limits are wrong');
    for (const user of [alice, bob]) await react(message, user);
    const draft = await draftOf(message);
    await unreact(message);
    await world.settled();
    expect((await drafts(message))[0]?.text).toContain('[Start]');
    await unreact(message, bob);
    await world.settled();
    expect((await drafts(message))[0]?.text).toContain('Withdrawn by bob');
    await press(draft, 'start_draft');
    await privately('Already done: Withdrawn by bob.');

    await react(message, bob);
    const again = await draftOf(message);
    expect(again.ts).not.toBe(draft.ts);
    await press(again, 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('makes no other draft after Start or Dismiss, and withdraws nothing then (T2)', async () => {
    const dismissed = await write('The limits are wrong');
    await react(dismissed);
    await press(await draftOf(dismissed), 'dismiss_draft');
    const started = await write('The page is old');
    await react(started);
    await press(await draftOf(started), 'start_draft');
    await world.settled();
    for (const message of [dismissed, started]) {
      await unreact(message);
      await world.settled();
      await react(message);
      await world.settled();
      expect(await drafts(message)).toHaveLength(1);
    }
    expect((await drafts(dismissed))[0]?.text).toContain('Dismissed by alice');
    expect(world.prompts()).toHaveLength(1);
  });
});

describe('marks', () => {
  test('of ten people, each delivered four times, make one draft, and it starts once (T2)', async () => {
    world.slack.onDelivery(() => 4);
    const message = await write('The limits are wrong');
    await Promise.all([alice, bob].map((user) => react(message, user)));
    const draft = await draftOf(message);
    expect(await drafts(message)).toHaveLength(1);
    await Promise.all([press(draft, 'start_draft', alice), press(draft, 'start_draft', bob)]);
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('that come late, or out of order, count as they are when the message is looked at (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message);
    const draft = await draftOf(message);
    await raw('reaction_removed', message);
    await world.settled();
    expect((await drafts(message)).map(({ text }) => text)).toEqual([draft.text]);
    await unreact(message);
    await raw('reaction_added', message);
    await world.settled();
    expect((await drafts(message))[0]?.text).toContain('Withdrawn by');
  });

  test('survive a stop of the program at any time (T2)', async () => {
    const message = await write('The limits are wrong');
    world.slack.onCall(({ method }) => (method === 'reactions.get' ? { error: 'internal_error' } : null));
    await react(message);
    await world.restart();
    world.slack.onCall(() => null);
    await world.settled(30_000);
    const draft = await draftOf(message);
    await world.restart();
    await press(draft, 'start_draft');
    await world.restart();
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
    expect(await drafts(message)).toHaveLength(1);
  });

  test('with another emoji, with the skin tone of the right one, and in other channels (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message, alice, 'tada');
    await world.settled();
    expect(await threadOf(message)).toEqual([]);
    expect(world.slack.calls('reactions.get')).toEqual([]);
    await react(message, alice, 'memo::skin-tone-2');
    expect((await draftOf(message)).text).toContain('*Draft*');
  });

  test('in a thread that is too long to be read make no draft, and are not looked at for ever (T2)', async () => {
    const root = await write('The limits are wrong');
    const second = Math.floor(Number(root.ts)) + 1;
    const reply = {
      type: 'message',
      thread_ts: root.ts,
      channel: general,
      user: bob,
      team: 'T0LOCAL',
    } as const;
    const replies = Array.from({ length: 4_000 }, (_, index) => {
      const ts = `${second}.${String(index).padStart(6, '0')}`;
      return { ...reply, ts, text: 'Indeed' };
    });
    world.slack.control.restore(general, replies);
    await react(root);
    await world.settled();
    const reads = world.slack.calls('conversations.replies').length;
    expect(reads).toBeGreaterThan(0);
    await world.clock.advance(10 * 60_000);
    expect(world.slack.calls('conversations.replies')).toHaveLength(reads);
    expect(await drafts(root)).toEqual([]);
  });

  test.each([1, 2, 3, 4])(
    'that lead nowhere lead nowhere in %i copies, out of order: at a bot, a card, a reply to it, what cannot be read, by a stranger (T2)',
    async (copies) => {
      const { control } = world.slack;
      control.addUser({ id: 'U0ELSE', name: 'else', realName: 'From Elsewhere', teamId: 'T0ELSE' });
      control.invite(general, 'U0ELSE');
      const byBot = await write('Deployed', { user: 'UDEPLOY', fields: { bot_id: 'B0DEPLOY' } });
      const card = await world.ask('Document the limits');
      const reply = await write('With an example', { threadTs: card.ts });
      const strangers = await write('The page is old');
      const hidden = await write('The limits are wrong');
      world.slack.onCall(({ method, args }) =>
        method === 'conversations.replies' && args.ts === hidden.ts ? { error: 'not_in_channel' } : null,
      );
      world.slack.onDelivery(() => copies);
      await raw('reaction_removed', hidden);
      for (const message of [byBot, card, reply, hidden]) await react(message);
      await react(strangers, 'U0ELSE');
      await raw('reaction_removed', hidden);
      await world.settled();
      const looks = new Set(world.slack.calls('reactions.get').map(({ args }) => args.timestamp));
      expect(looks).toEqual(new Set([byBot, card, reply, hidden].map(({ ts }) => ts)));
      for (const message of [byBot, card, strangers, hidden]) expect(await drafts(message)).toEqual([]);
      expect(world.prompts()).toHaveLength(1);
      const told = (await control.messages(general)).filter(({ subtype }) => subtype === 'ephemeral');
      expect(told).toEqual([]);
    },
  );

  test('in a channel that the bot cannot read make no draft (T2)', async () => {
    const message = await write('The limits are wrong');
    world.slack.control.remove(general, 'U0DOCSAGENT');
    await raw('reaction_added', message);
    await world.settled();
    expect(await threadOf(message)).toEqual([]);
  });

  test('of guests are refused privately, once, and of people of other workspaces are no matter (T2, A1)', async () => {
    const { control } = world.slack;
    control.addUser({ id: 'U0GUEST', name: 'guest', realName: 'A Guest', isRestricted: true });
    control.addUser({ id: 'U0ELSE', name: 'else', realName: 'From Elsewhere', teamId: 'T0ELSE' });
    for (const user of ['U0GUEST', 'U0ELSE']) control.invite(general, user);
    const first = await write('The limits are wrong');
    const second = await write('The page is old');
    for (const message of [first, second]) {
      await react(message, 'U0ELSE');
      await react(message, 'U0GUEST');
    }
    await world.settled();
    for (const message of [first, second]) expect(await drafts(message)).toEqual([]);
    const refusals = (await control.messages(general)).filter(({ subtype }) => subtype === 'ephemeral');
    expect(refusals.map(({ text }) => text)).toEqual([
      "🔒 You can't use docs-agent here: guests aren't allowed. Ask an administrator for access.",
    ]);

    // Theirs do not keep a draft.
    await react(first, bob);
    expect((await draftOf(first)).text).toContain("bob's message>");
    await unreact(first, bob);
    await world.settled();
    expect((await drafts(first))[0]?.text).toContain('Withdrawn by bob');
  });
});

describe('a person who marks a message anew', () => {
  test('finds the draft expired after a week, said once, and asks for another (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message);
    const draft = await draftOf(message);
    world.clock.freeze(WEEK_MS);
    await world.settled();
    const ends = (await drafts(message)).map(({ text }) => text.split('\n').at(-1));
    expect(ends).toEqual(['Expired after 7 days']);
    await press(draft, 'start_draft');
    await privately('Already done: Expired after 7 days.');
    expect(world.prompts()).toEqual([]);
    // The mark that is still there asks for nothing new, also where another comes and goes out of order.
    await raw('reaction_added', message);
    await raw('reaction_removed', message, bob);
    await world.settled();
    expect(await drafts(message)).toHaveLength(1);
    await react(message, bob);
    expect((await draftOf(message)).text).toContain("bob's message");
    await press(await draftOf(message), 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('asks once more by taking the mark away and putting it there again, of what the message says then (T2)', async () => {
    const message = await write('The limits are wrong');
    await react(message);
    await draftOf(message);
    world.clock.freeze(WEEK_MS);
    await world.settled();
    await world.slack.control.editMessage(message, 'The quotas are wrong');
    await write('They are per minute', { threadTs: message.ts });
    await unreact(message);
    await world.settled();
    expect(await drafts(message)).toHaveLength(1);
    await react(message);
    const again = await draftOf(message);
    expect(await drafts(message)).toHaveLength(2);
    expect(again.text).toContain('The quotas are wrong');
    expect(again.text).toContain('1 message of this thread included');
  });

  test('learns that Slack refused the draft, and asks once more by a new mark (T2)', async () => {
    world.slack.onCall(({ method }) =>
      method === 'chat.postMessage' ? { error: 'restricted_action' } : null,
    );
    const message = await write('The limits are wrong');
    await react(message);
    await world.settled();
    world.slack.onCall(() => null);
    await raw('reaction_added', message);
    await world.settled();
    expect(await drafts(message)).toEqual([]);
    await unreact(message);
    await world.settled();
    await react(message);
    await press(await draftOf(message), 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('makes none once more where a job began in the thread meanwhile, nor of a deleted message (T2)', async () => {
    const taken = await write('The limits are wrong');
    const deleted = await write('The page is old');
    for (const message of [taken, deleted]) {
      await react(message);
      await draftOf(message);
      await unreact(message);
    }
    await world.settled();
    await startJobIn(taken);
    await world.slack.control.deleteMessage(deleted);
    await react(taken);
    await raw('reaction_added', deleted);
    await world.settled();
    expect(await drafts(taken)).toHaveLength(1);
    expect(await drafts(deleted)).toHaveLength(1);
  });
});

describe('where only some may start drafts', () => {
  test('others are told who may, and may still dismiss (T2)', async () => {
    await world[Symbol.asyncDispose]();
    world = await startMarkedWorld(`channels: { ${general}: { reaction: ":memo:", approvers: [${bob}] } }`);
    const message = await write('The limits are wrong');
    await react(message);
    const draft = await draftOf(message);
    expect(draft.text).toContain('only bob can start it');
    for (const button of ['start_draft', 'edit_draft']) {
      await press(draft, button);
      await privately('Only bob can start this.');
    }
    expect(world.slack.control.modal(alice)).toBeNull();
    await world.restart(`channels: { ${general}: { reaction: memo, approvers: [${alice}] } }`);
    await press(draft, 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);

    const other = await write('The page is old');
    await react(other);
    await press(await draftOf(other), 'dismiss_draft', bob);
    await world.settled();
    expect((await drafts(other))[0]?.text).toContain('Dismissed by bob');
  });
});
