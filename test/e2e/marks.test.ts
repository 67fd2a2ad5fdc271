import { describe, expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { startMarkedWorld } from './support/marks.ts';

const WEEK_MS = 7 * 86_400_000;

describe('a person who marks a message', () => {
  test('sees a draft in its thread, with its words, and nothing goes to the agent before Start (T2)', async () => {
    await using world = await startMarkedWorld();
    const message = await world.write('The limits <b> are *wrong*');
    await world.react(message, alice, 'tada');
    await world.settled();
    expect(await world.thread(message)).toEqual([]);
    expect(world.slack.calls('reactions.get')).toEqual([]);
    await world.react(message, alice, 'memo::skin-tone-2');
    const draft = await world.draftOf(message);
    expect(draft.text).toMatch(
      /^📝 \*Draft\* from <https:\S+\|bob's message>\n“The limits &lt;b&gt; are \*wrong\*”/,
    );
    expect(draft.text).toContain('[Start] [Edit and start] [Dismiss]');
    expect(world.prompts()).toEqual([]);
    await world.press(draft, 'start_draft', bob);
    await world.settled();
    expect(world.prompts()[0]?.[0]).toContain('> The limits <b> are *wrong*');
    const [settled, card] = await world.thread(message);
    expect(settled?.text).toContain('🚀 Started by bob');
    expect(settled?.text).not.toContain('[Start]');
    expect(card?.text).toContain('alice');

    // A form could not hold it.
    const long = await world.write(`${'The limits are wrong. '.repeat(300)}The end.`);
    await world.react(long);
    await world.press(await world.draftOf(long), 'start_draft');
    await expect.poll(() => world.prompts()[1]?.[0], { message: 'the prompt' }).toMatch(/wrong\. The end\.$/);
  });

  test('sends the other messages of the thread along, as they are at Start, without deleted ones (T2)', async () => {
    await using world = await startMarkedWorld();
    const root = await world.write('Our limits confuse people');
    const marked = await world.write('Here, too', { threadTs: root.ts });
    const edited = await world.write('They got a 429', { threadTs: root.ts });
    const deleted = await world.write('Nobody reads this', { threadTs: root.ts });
    const looks = ['reactions.get', 'chat.getPermalink', 'conversations.replies', 'users.info'];
    const left = world.failAtFirst(looks, 2);
    await world.react(marked);
    await world.later(() => world.drafts(root), has(1), 'the draft, though Slack failed at first');
    expect([...left.values()]).toEqual([0, 0, 0, 0]);
    const draft = await world.draftOf(root);
    expect(draft.text).toContain(`/p${marked.ts.replace('.', '')}?thread_ts=${root.ts}`);
    expect(draft.text).toContain('3 messages of this thread included');
    await world.slack.control.editMessage(edited, 'They got a 430');
    await world.slack.control.deleteMessage(deleted);
    await world.press(draft, 'start_draft');
    await world.settled();
    const prompt = world.prompts()[0]?.[0] ?? '';
    expect(prompt).toMatch(/> Here, too\n\nContext from the Slack thread https:\S+:\n/);
    expect(prompt).toContain('bob: Our limits confuse people\nbob: They got a 430');
    expect(prompt).not.toContain('Nobody reads this');
  });

  test('withdraws the draft by taking the mark away, and makes it once more by marking again (T2)', async () => {
    await using world = await startMarkedWorld();
    const message = await world.write('The limits are wrong');
    for (const user of [alice, bob]) await world.react(message, user);
    const draft = await world.draftOf(message);
    // It is still there: events that come late count as the message is when it is looked at.
    await world.raw('reaction_removed', message);
    await world.unreact(message);
    await world.settled();
    expect((await world.drafts(message)).map(({ text }) => text)).toEqual([draft.text]);
    await world.unreact(message, bob);
    await world.raw('reaction_added', message);
    await world.settled();
    expect((await world.drafts(message))[0]?.text).toContain('Withdrawn by bob');
    await world.press(draft, 'start_draft');
    await world.private('Already done: Withdrawn by bob.');

    await world.react(message, bob);
    const again = await world.draftOf(message);
    expect(again.ts).not.toBe(draft.ts);
    await world.press(again, 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('makes no other draft after Start or Dismiss, and withdraws nothing then (T2)', async () => {
    await using world = await startMarkedWorld();
    const dismissed = await world.write('The limits are wrong');
    await world.react(dismissed);
    await world.press(await world.draftOf(dismissed), 'dismiss_draft');
    const started = await world.write('The page is old');
    await world.react(started);
    await world.press(await world.draftOf(started), 'start_draft');
    await world.settled();
    for (const message of [dismissed, started]) {
      await world.unreact(message);
      await world.settled();
      await world.react(message);
      await world.settled();
      expect(await world.drafts(message)).toHaveLength(1);
    }
    expect((await world.drafts(dismissed))[0]?.text).toContain('Dismissed by alice');
    expect(world.prompts()).toHaveLength(1);
  });
});

describe('marks', () => {
  test('of several people, each delivered four times, make one draft, and it starts once (T2)', async () => {
    await using world = await startMarkedWorld();
    world.slack.onDelivery(() => 4);
    const message = await world.write('The limits are wrong');
    await Promise.all([alice, bob].map((user) => world.react(message, user)));
    const draft = await world.draftOf(message);
    expect(await world.drafts(message)).toHaveLength(1);
    await Promise.all([alice, bob].map((user) => world.press(draft, 'start_draft', user)));
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('at a bot, a card, a reply to it, what cannot be read, or by a stranger lead nowhere, in any copies and order (T2)', async () => {
    await using world = await startMarkedWorld();
    const { control } = world.slack;
    control.addUser({ id: 'U0ELSE', name: 'else', realName: 'From Elsewhere', teamId: 'T0ELSE' });
    control.invite(general, 'U0ELSE');
    const byBot = await world.write('Deployed', { user: 'UDEPLOY', fields: { bot_id: 'B0DEPLOY' } });
    const card = await world.ask('Document the limits');
    const reply = await world.write('With an example', { threadTs: card.ts });
    const strangers = await world.write('The page is old');
    const hidden = await world.write('The limits are wrong');
    world.slack.onCall(({ method, args }) =>
      method === 'conversations.replies' && args.ts === hidden.ts ? { error: 'not_in_channel' } : null,
    );
    world.slack.onDelivery(() => 3);
    await world.raw('reaction_removed', hidden);
    for (const message of [byBot, card, reply, hidden]) await world.react(message);
    await world.react(strangers, 'U0ELSE');
    await world.raw('reaction_removed', hidden);
    await world.settled();
    const looks = new Set(world.slack.calls('reactions.get').map(({ args }) => args.timestamp));
    expect(looks).toEqual(new Set([byBot, card, reply, hidden].map(({ ts }) => ts)));
    const unread = await world.write('The keys are wrong');
    control.remove(general, 'U0DOCSAGENT');
    await world.raw('reaction_added', unread);
    await world.settled();
    for (const message of [byBot, card, strangers, hidden, unread])
      expect(await world.drafts(message)).toEqual([]);
    expect(world.prompts()).toHaveLength(1);
    const told = (await control.messages(general)).filter(({ subtype }) => subtype === 'ephemeral');
    expect(told).toEqual([]);
  });

  test('of guests are refused privately, once, and of people of other workspaces are no matter (T2, A1)', async () => {
    await using world = await startMarkedWorld();
    const { control } = world.slack;
    control.addUser({ id: 'U0GUEST', name: 'guest', realName: 'A Guest', isRestricted: true });
    control.addUser({ id: 'U0ELSE', name: 'else', realName: 'From Elsewhere', teamId: 'T0ELSE' });
    for (const user of ['U0GUEST', 'U0ELSE']) control.invite(general, user);
    const first = await world.write('The limits are wrong');
    const second = await world.write('The page is old');
    for (const message of [first, second])
      for (const user of ['U0ELSE', 'U0GUEST']) await world.react(message, user);
    await world.settled();
    for (const message of [first, second]) expect(await world.drafts(message)).toEqual([]);
    const refusals = (await control.messages(general)).filter(({ subtype }) => subtype === 'ephemeral');
    expect(refusals.map(({ text }) => text)).toEqual([
      "🔒 You can't use docs-agent here: guests aren't allowed. Ask an administrator for access.",
    ]);

    // Theirs do not keep a draft.
    await world.react(first, bob);
    expect((await world.draftOf(first)).text).toContain("bob's message>");
    await world.unreact(first, bob);
    await world.settled();
    expect((await world.drafts(first))[0]?.text).toContain('Withdrawn by bob');
  });
});

describe('a person who marks a message anew', () => {
  test('finds the draft expired after a week, said once, and asks for another, of what it says then (T2)', async () => {
    await using world = await startMarkedWorld();
    const message = await world.write('The limits are wrong');
    const other = await world.write('The page is old');
    for (const one of [message, other]) await world.react(one);
    const draft = await world.draftOf(message);
    world.clock.freeze(WEEK_MS);
    await world.settled();
    const ends = (await world.drafts(message)).map(({ text }) => text.split('\n').at(-1));
    expect(ends).toEqual(['Expired after 7 days']);
    await world.press(draft, 'start_draft');
    await world.private('Already done: Expired after 7 days.');
    expect(world.prompts()).toEqual([]);
    // The mark that is still there asks for nothing new, also where another comes and goes out of order.
    await world.raw('reaction_added', message);
    await world.raw('reaction_removed', message, bob);
    await world.settled();
    expect(await world.drafts(message)).toHaveLength(1);
    await world.react(message, bob);
    expect((await world.draftOf(message)).text).toContain("bob's message");
    await world.press(await world.draftOf(message), 'start_draft');
    await world.settled();
    expect(world.prompts()).toHaveLength(1);

    await world.slack.control.editMessage(other, 'The quotas are wrong');
    await world.write('They are per minute', { threadTs: other.ts });
    await world.unreact(other);
    await world.settled();
    expect(await world.drafts(other)).toHaveLength(1);
    await world.react(other);
    const again = await world.draftOf(other);
    expect(await world.drafts(other)).toHaveLength(2);
    expect(again.text).toContain('The quotas are wrong');
    expect(again.text).toContain('1 message of this thread included');
  });
});

test('where only some may start drafts, others are told who may, and may still dismiss (T2)', async () => {
  const only = (user: string) => `channels: { ${general}: { reaction: ":memo:", approvers: [${user}] } }`;
  await using world = await startMarkedWorld(only(bob));
  const message = await world.write('The limits are wrong');
  await world.react(message);
  const draft = await world.draftOf(message);
  expect(draft.text).toContain('only bob can start it');
  for (const button of ['start_draft', 'edit_draft']) {
    await world.press(draft, button);
    await world.private('Only bob can start this.');
  }
  expect(world.form()).toBe('');
  await world.restart(only(alice));
  await world.press(draft, 'start_draft');
  await world.settled();
  expect(world.prompts()).toHaveLength(1);
  const other = await world.write('The page is old');
  await world.react(other);
  await world.press(await world.draftOf(other), 'dismiss_draft', bob);
  await world.settled();
  expect((await world.drafts(other))[0]?.text).toContain('Dismissed by bob');
});
