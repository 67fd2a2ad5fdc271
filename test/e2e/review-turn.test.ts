import { expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { auditAt } from '../cli/support/printed.ts';
import { startCodeHost } from '../support/code-host/code-host.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { createTestClock } from '../support/test-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { startStrictWorld } from './support/strict-world.ts';

const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;

/** The program with a pull request that its thread knows, at a stand-in for GitHub. */
async function start(configFile = '', opened: { isDraft?: boolean } = {}) {
  const codeHost = await startCodeHost({ token: 'read-only', clock: createTestClock(Date.now()) });
  const pull = codeHost.open({ repository: 'acme/docs', number: 14, ...opened });
  const world = await startStrictWorld({
    ...(configFile !== '' && { configFile }),
    settings: { GITHUB_TOKEN: 'read-only', GITHUB_API_URL: codeHost.githubApiUrl },
  });
  const { slack, api, later } = world;
  const { control } = slack;
  const card = await world.ask('Document the limits');
  await world.threadMessage(card, 'On it');
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: url });
  await world.threadMessage(card, 'Pull request ready');
  const thread = () => control.thread(general, card.ts);
  const isThere = (found: SlackMessage | undefined): found is SlackMessage => found !== undefined;
  const said = (words: string) =>
    later(async () => (await thread()).findLast(({ text }) => text.includes(words)), isThere, `"${words}"`);
  return {
    ...{ world, control, codeHost, pull, thread },
    told: async (words: string) => (await said(words)) as SlackMessage,
    carded: (words: string) =>
      later(
        async () => (await control.messages(general)).find(({ ts }) => ts === card.ts),
        (found) => found?.text.includes(words) === true,
        `the card to say "${words}"`,
      ) as Promise<SlackMessage>,
    form: (user: string) =>
      waitFor(
        () => control.modal(user),
        (view) => view !== null && !JSON.stringify(view).includes('Reading the review'),
        { what: 'the form' },
      ),
    /** What the agent got after the request. */
    replies: () => world.prompts()[0]?.slice(1) ?? [],
    privately: (words: string) => world.sentPrivately(general, words),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await codeHost.close();
    },
  };
}

test('failing checks → a fix is asked for → another commit → green (P5)', async () => {
  await using at = await start();
  const { world, control, pull } = at;
  pull.check('build <!here>', 'failure');
  const news = await at.told('*Checks failing*');
  expect(news.text.split('\n')[0]).toBe(`⚠️ <@${alice}> *Checks failing* on ${link}: build &lt;!here&gt;.`);
  expect(news.text).toContain('[Ask for a fix]');
  expect(news.text).toContain('View checks: http');
  const card = await at.carded(`*Checks failing* · ${link} · build &lt;!here&gt;`);
  expect(card.text).toContain('[Ask for a fix]');
  await control.press(news, 'ask_for_fix', bob);
  const shown = JSON.stringify(await at.form(bob));
  expect(shown).toContain('The check “build <!here>” fails: http');
  expect(shown).toContain('. Please fix it.');
  expect((await control.submit(bob, { prompt: 'Fix the build, please' })).errors).toBeNull();
  expect((await at.told('*Reply* by bob')).text).toContain('Fix the build, please');
  expect((await at.told('bob sent it to the agent')).ts).toBe(news.ts);
  await world.later(at.replies, (all) => all.length > 0, 'the reply');
  expect(at.replies()).toEqual(['Fix the build, please']);
  const reply = await at.told('*Reply* by bob');
  await world.later(
    () => control.reactions(reply),
    (names) => names.join() === 'white_check_mark',
    'the receipt',
  );
  pull.push();
  pull.check('build <!here>', 'success');
  world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'completed', prLink: url });
  await at.carded('*Updated*');
  expect((await at.thread()).filter(({ text }) => text.includes('*Checks failing*'))).toHaveLength(1);
});

test('the button of the card opens the same form, and closes the message (P5)', async () => {
  await using at = await start();
  at.pull.check('build', 'failure');
  const news = await at.told('*Checks failing*');
  await at.control.press(await at.carded('[Ask for a fix]'), 'ask_for_fix', alice);
  expect(JSON.stringify(await at.form(alice))).toContain('The check “build” fails');
  await at.control.submit(alice, { prompt: 'Fix it' });
  expect((await at.told('alice sent it to the agent')).ts).toBe(news.ts);
  const audit = await auditAt(at.world.clock.now() + 1, { DATA_DIR: at.world.env.DATA_DIR });
  expect(audit.map(({ source }) => source)).toContain('ask_for_fix');
});

test('changes requested → sent → updated → approved → merged (P5)', async () => {
  await using at = await start();
  const { world, control, pull } = at;
  pull.review('carol', 'CHANGES_REQUESTED', 'Nearly there.', [
    'docs/a.md:12 Use npm ci',
    'docs/b.md:3 <!channel> & more',
  ]);
  const news = await at.told('*Changes requested*');
  expect(news.text.split('\n')[0]).toBe(`👀 <@${alice}> *Changes requested* on ${link} by carol.`);
  expect(news.text).toContain('[Send the review]');
  await at.carded(`*Changes requested* · ${link} · by carol`);
  await control.press(news, 'send_review', bob);
  const shown = JSON.stringify(await at.form(bob));
  for (const words of ['Nearly there.', 'Use npm ci', 'docs/a.md:12', 'docs/b.md:3'])
    expect(shown).toContain(words);
  const { errors } = await control.submit(bob, { messages_0: [] });
  expect(JSON.stringify(errors)).toContain('Tick at least one comment');
  await control.submit(bob, { messages_0: ['Use npm ci', '<!channel> & more'] });
  await world.later(at.replies, (all) => all.length > 0, 'the reply');
  expect(at.replies()).toEqual([
    'carol requested changes on acme/docs#14:\n\ndocs/a.md:12\n> Use npm ci\n\ndocs/b.md:3\n> <!channel> & more',
  ]);
  const reply = await at.told('*Reply* by bob');
  expect(reply.text).not.toContain('<!channel>');
  await world.later(
    () => control.reactions(reply),
    (names) => names.join() === 'white_check_mark',
    'the receipt',
  );
  const settled = await at.told('bob sent it to the agent');
  expect(settled.ts).toBe(news.ts);
  expect(settled.text).not.toContain('[Send the review]');
  pull.push();
  world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'completed', prLink: url });
  // One comment was unticked.
  await at.carded('[Send the review]');
  pull.review('carol', 'APPROVED');
  expect((await at.carded('*Updated*')).text).not.toContain('[Send the review]');
  pull.merge('carol');
  await at.told('*Merged* by carol');
  expect(at.replies()).toHaveLength(1);
});

test.each([
  ['ask for a fix', 'ask_for_fix', '*Checks failing*', { prompt: 'Fix it' }],
  ['send the review', 'send_review', '*Changes requested*', { messages_0: ['Nearly there.'] }],
] as const)(
  'of two people who %s at once, one is told that the other has (P5)',
  async (_, button, words, form) => {
    await using at = await start();
    const { world, control, pull } = at;
    if (button === 'ask_for_fix') pull.check('build', 'failure');
    else pull.review('carol', 'CHANGES_REQUESTED', 'Nearly there.');
    const news = await at.told(words);
    for (const user of [alice, bob]) {
      await control.press(news, button, user);
      await at.form(user);
    }
    const answers = await Promise.all([alice, bob].map((user) => control.submit(user, { ...form })));
    const told = answers.map(({ errors }) => (errors === null ? '' : JSON.stringify(errors)));
    expect(told.toSorted()).toEqual([
      '',
      expect.stringMatching(/Already done: (?:alice|bob) sent it to the agent/),
    ]);
    await world.later(at.replies, (all) => all.length > 0, 'the reply');
    await world.settled(10_000);
    await control.press(news, button, bob);
    await at.privately('Already done: ');
    expect(at.replies()).toHaveLength(1);
  },
);

test('a review that is edited, or gone, between look and press is what it is now (P5)', async () => {
  await using at = await start();
  const { control, pull } = at;
  const review = pull.review('carol', 'CHANGES_REQUESTED', '', ['docs/a.md:1 One', 'docs/a.md:2 Two']);
  const news = await at.told('*Changes requested*');
  const [one] = review.notes;
  if (one === undefined) throw new Error('no note');
  one.body = 'First';
  await control.press(news, 'send_review', alice);
  expect(JSON.stringify(await at.form(alice))).toContain('First');
  one.body = 'Delete everything';
  const { errors } = await control.submit(alice, { messages_0: ['First', 'Two'] });
  expect(JSON.stringify(errors)).toContain('was sent, edited or deleted in the meantime');
  review.state = 'DISMISSED';
  const { errors: late } = await control.submit(alice, { messages_0: ['Two'] });
  expect(JSON.stringify(late)).toContain("There's nothing to send");
  await control.press(news, 'send_review', bob);
  expect(JSON.stringify(await at.form(bob))).toContain(
    "There's nothing to send: the review by carol was dismissed",
  );
  at.codeHost.failAt(/comments/, { status: 500 });
  await control.close(alice);
  await control.press(news, 'send_review', alice);
  expect(JSON.stringify(await at.form(alice))).toContain("I couldn't read the review");
  expect(at.replies()).toEqual([]);
});

test('a form holds fifty of three hundred comments, and says how many are left out (P5)', async () => {
  await using at = await start();
  const notes = Array.from({ length: 250 }, (_, index) => `docs/a.md:${index + 1} ${'x'.repeat(9)} ${index}`);
  at.pull.review('carol', 'CHANGES_REQUESTED', '', notes);
  await at.control.press(await at.told('*Changes requested*'), 'send_review', alice);
  const shown = JSON.stringify(await at.form(alice));
  expect(new Set(shown.match(/docs\/a\.md:\d+/g)).size).toBe(50);
  expect(shown).toContain('200 more comments are left out.');
});

test('what was not sent, and a failure that stays, can be sent from the card after the turn (P5)', async () => {
  await using at = await start();
  const { world, control, pull } = at;
  const finish = () => world.api.finish(world.api.jobs[0]?.id ?? '', { status: 'completed', prLink: url });
  const notes = Array.from({ length: 60 }, (_, index) => `docs/a.md:${index + 1} No. ${index}.`);
  pull.review('carol', 'CHANGES_REQUESTED', '', notes);
  await control.press(await at.told('*Changes requested*'), 'send_review', alice);
  await at.form(alice);
  // The boxes below stay ticked: 42 of 60 are sent.
  await control.submit(alice, { messages_0: ['No. 0.', 'No. 1.'] });
  await world.later(at.replies, (all) => all.length === 1, 'the first part');
  finish();
  await control.press(await at.carded('[Send the review]'), 'send_review', bob);
  const rest = JSON.stringify(await at.form(bob));
  for (const sent of ['No. 1.', 'No. 49.']) expect(rest).not.toContain(sent);
  for (const left of ['No. 2.', 'No. 59.']) expect(rest).toContain(left);
  pull.review('carol', 'APPROVED');
  pull.check('build', 'failure');
  await control.press(await at.told('*Checks failing*'), 'ask_for_fix', alice);
  await at.form(alice);
  await control.submit(alice, { prompt: 'Fix it' });
  await world.later(at.replies, (all) => all.length === 2, 'the reply');
  finish();
  await at.carded('[Ask for a fix]');
});

test('too much at once asks to untick some (P5)', async () => {
  await using at = await start();
  const notes = Array.from(
    { length: 3 },
    (_, index) => `docs/a.md:${index + 1} ${index}${'x'.repeat(9_000)}`,
  );
  at.pull.review('carol', 'CHANGES_REQUESTED', '', notes);
  await at.control.press(await at.told('*Changes requested*'), 'send_review', alice);
  await at.form(alice);
  expect(JSON.stringify((await at.control.submit(alice, {})).errors)).toContain('Untick some');
});

test('those whose review is wanted are mentioned where the file names them (P5)', async () => {
  await using at = await start(`people: { Octocat: ${bob} }`, { isDraft: true });
  at.pull.ask('octocat');
  at.pull.ask('*dave*<!here>');
  await at.world.settled(120_000);
  expect((await at.thread()).some(({ text }) => text.includes('Review wanted'))).toBe(false);
  at.pull.ready();
  const { text } = await at.told('*Review wanted*');
  expect(text.split('\n')[0]).toMatch(
    new RegExp(`^👀 \\*Review wanted\\* on ${link.replace('|', '\\|')}: <@${bob}>, `),
  );
  expect(text).not.toContain('<!here>');
});

test('others are found by their e-mail addresses, where the scope allows it (P5)', async () => {
  await using at = await start();
  at.codeHost.emails.set('bobby', 'bob@acme.example');
  at.codeHost.emails.set('eve', 'eve@elsewhere.example');
  at.pull.ask('bobby');
  // The app has no such scope yet.
  expect((await at.told('*Review wanted*')).text).toMatch(/: bobby$/);
  expect(at.world.log.some((line) => line.includes('"scope":"users:read.email"'))).toBe(true);
  expect(at.world.log.join('')).not.toContain('bob@acme.example');
  at.control.grantScopes([...botScopes.map(({ name }) => name), 'users:read.email']);
  await at.world.restart();
  at.codeHost.emails.set('alicia', 'alice@acme.example');
  at.pull.ask('alicia');
  at.pull.ask('eve');
  expect((await at.told('eve')).text).toContain(`: <@${alice}>, eve`);
});

test('a thread that muted the updates hears of none of it (P5)', async () => {
  await using at = await start();
  const [root] = await at.thread();
  await at.control.message({ channel: general, user: alice, text: 'mute', threadTs: root?.ts ?? '' });
  await at.told('*Muted by');
  at.pull.check('build', 'failure');
  await at.carded('*Checks failing*');
  await at.world.settled(5_000);
  expect((await at.thread()).slice(1).some(({ text }) => text.includes('*Checks failing*'))).toBe(false);
});

test('a restart between look and press loses nothing (P5)', async () => {
  await using at = await start();
  at.pull.review('carol', 'CHANGES_REQUESTED', 'Nearly there.');
  const news = await at.told('*Changes requested*');
  await at.world.restart();
  await at.control.press(news, 'send_review', alice);
  await at.form(alice);
  await at.world.restart();
  await at.control.submit(alice, { messages_0: ['Nearly there.'] });
  await at.world.later(at.replies, (all) => all.length > 0, 'the reply');
  await at.world.settled(120_000);
  expect(at.replies()).toHaveLength(1);
  expect((await at.thread()).filter(({ text }) => text.includes('*Changes requested*'))).toHaveLength(1);
});
