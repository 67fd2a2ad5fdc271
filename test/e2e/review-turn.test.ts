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
const CHECKS = '*Checks failing*';
const CHANGES = '*Changes requested*';
const NEARLY = { messages_0: ['Nearly there.'] };

/** The program with a pull request that its thread knows, at a stand-in for GitHub. */
async function start(configFile = '', opened: { isDraft?: boolean } = {}) {
  const codeHost = await startCodeHost({ token: 'read-only', clock: createTestClock(Date.now()) });
  const pull = codeHost.open({ repository: 'acme/docs', number: 14, ...opened });
  const settings = { GITHUB_TOKEN: 'read-only', GITHUB_API_URL: codeHost.githubApiUrl };
  const world = await startStrictWorld({ configFile, settings });
  const { control } = world.slack;
  const card = await world.working('Document the limits');
  const end = () => world.api.finish(0, { status: 'completed', prLink: url });
  end();
  await world.threadMessage(card, 'Pull request ready');
  const told = (words: string) => world.threadMessage(card, words);
  const stop = world[Symbol.asyncDispose];
  return Object.assign(world, {
    ...{ host: codeHost, pull, card, end, told },
    carded: (words: string) => world.shows(card, words),
    times: async (words: string) =>
      (await world.thread(card)).filter(({ text }) => text.includes(words)).length,
    /** Presses the button, and returns the form that opens. */
    pressed: async (message: SlackMessage, button: string, user = bob) => {
      await control.press(message, button, user);
      const form = () => world.form(user);
      const isRead = (text: string) => text !== '' && !text.includes('Reading the review');
      return waitFor(form, isRead, { what: 'the form' });
    },
    /** What the agent got after the request, once there is so much. */
    replies: async (count: number) => {
      await world.later(() => (world.prompts()[0] ?? []).length > count, true, `reply ${count}`);
      return world.prompts()[0]?.slice(1) ?? [];
    },
    hasReceipt: async (words: string) =>
      world.later(() => told(words).then(control.reactions), ['white_check_mark'], 'the receipt'),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await codeHost.close();
    },
  });
}

test('failing checks → a fix is asked for → another commit → green (P5)', async () => {
  await using at = await start();
  at.pull.check('build <!here>', 'failure');
  const news = await at.told(CHECKS);
  expect(news.text.split('\n')[0]).toBe(`⚠️ <@${alice}> *Checks failing* on ${link}: build &lt;!here&gt;.`);
  expect(news.text).toMatch(/\[Ask for a fix\].*View checks: http|View checks: http.*\[Ask for a fix\]/s);
  // The button of the card opens the same form, and closes the message.
  const card = await at.carded(`*Checks failing* · ${link} · build &lt;!here&gt;`);
  expect(await at.pressed(card, 'ask_for_fix')).toMatch(
    /The check “build <!here>” fails: http.*\. Please fix it\./,
  );
  expect(await at.submit({ prompt: 'Fix the build, please' }, bob)).toBeNull();
  expect((await at.told('*Reply* by bob')).text).toContain('Fix the build, please');
  expect((await at.told('bob sent it to the agent')).ts).toBe(news.ts);
  expect(await at.replies(1)).toEqual(['Fix the build, please']);
  await at.hasReceipt('*Reply* by bob');
  const audit = await auditAt(at.clock.now() + 1, { DATA_DIR: at.env.DATA_DIR });
  expect(audit.map(({ source }) => source)).toContain('ask_for_fix');
  at.pull.push();
  at.pull.check('build <!here>', 'success');
  at.end();
  await at.carded('*Updated*');
  expect(await at.times(CHECKS)).toBe(1);
});

test('changes requested → sent → updated → approved → merged (P5)', async () => {
  await using at = await start();
  const { pull } = at;
  const notes = ['docs/a.md:12 Use npm ci', 'docs/b.md:3 <!channel> & more'];
  pull.review('carol', 'CHANGES_REQUESTED', 'Nearly there.', notes);
  const news = await at.told(CHANGES);
  expect(news.text.split('\n')[0]).toBe(`👀 <@${alice}> *Changes requested* on ${link} by carol.`);
  expect(news.text).toContain('[Send the review]');
  await at.carded(`*Changes requested* · ${link} · by carol`);
  await at.restart();
  const shown = await at.pressed(news, 'send_review');
  for (const words of ['Nearly there.', 'Use npm ci', 'docs/a.md:12', 'docs/b.md:3'])
    expect(shown).toContain(words);
  await at.restart();
  expect(JSON.stringify(await at.submit({ messages_0: [] }, bob))).toContain('Tick at least one comment');
  expect(await at.submit({ messages_0: ['Use npm ci', '<!channel> & more'] }, bob)).toBeNull();
  expect(await at.replies(1)).toEqual([
    'carol requested changes on acme/docs#14:\n\ndocs/a.md:12\n> Use npm ci\n\ndocs/b.md:3\n> <!channel> & more',
  ]);
  expect((await at.told('*Reply* by bob')).text).not.toContain('<!channel>');
  await at.hasReceipt('*Reply* by bob');
  const settled = await at.told('bob sent it to the agent');
  expect(settled.ts).toBe(news.ts);
  expect(settled.text).not.toContain('[Send the review]');
  pull.push();
  at.end();
  // One comment was unticked.
  await at.carded('[Send the review]');
  pull.review('carol', 'APPROVED');
  expect((await at.carded('*Updated*')).text).not.toContain('[Send the review]');
  pull.merge('carol');
  await at.told('*Merged* by carol');
  expect(await at.replies(1)).toHaveLength(1);
  expect(await at.times(CHANGES)).toBe(1);
});

test.each([
  ['ask for a fix', 'ask_for_fix', CHECKS, { prompt: 'Fix it' }],
  ['send the review', 'send_review', CHANGES, NEARLY],
] as const)(
  'of two people who %s at once, one is told that the other has (P5)',
  async (_, button, words, values) => {
    await using at = await start();
    if (words === CHECKS) at.pull.check('build', 'failure');
    else at.pull.review('carol', 'CHANGES_REQUESTED', 'Nearly there.');
    const news = await at.told(words);
    for (const user of [alice, bob]) await at.pressed(news, button, user);
    const answers = await Promise.all([alice, bob].map((user) => at.submit({ ...values }, user)));
    expect(answers.map((errors) => (errors === null ? '' : JSON.stringify(errors))).toSorted()).toEqual([
      '',
      expect.stringMatching(/Already done: (?:alice|bob) sent it to the agent/),
    ]);
    await at.settled(10_000);
    await at.slack.control.press(news, button, bob);
    await at.sentPrivately(general, 'Already done: ');
    expect(await at.replies(1)).toHaveLength(1);
  },
);

test('a review that is edited, or gone, between look and press is what it is now (P5)', async () => {
  await using at = await start();
  const review = at.pull.review('carol', 'CHANGES_REQUESTED', '', ['docs/a.md:1 One', 'docs/a.md:2 Two']);
  const news = await at.told(CHANGES);
  const [one] = review.notes;
  if (one === undefined) throw new Error('no note');
  one.body = 'First';
  expect(await at.pressed(news, 'send_review', alice)).toContain('First');
  one.body = 'Delete everything';
  expect(JSON.stringify(await at.submit({ messages_0: ['First', 'Two'] }))).toContain(
    'was sent, edited or deleted in the meantime',
  );
  review.state = 'DISMISSED';
  expect(JSON.stringify(await at.submit({ messages_0: ['Two'] }))).toContain("There's nothing to send");
  expect(await at.pressed(news, 'send_review')).toContain(
    "There's nothing to send: the review by carol was dismissed",
  );
  at.host.failAt(/comments/, { status: 500 });
  await at.slack.control.close(alice);
  expect(await at.pressed(news, 'send_review', alice)).toContain("I couldn't read the review");
  expect(at.prompts()[0]).toHaveLength(1);
});

test('a form holds fifty comments, and says how many are left out; too much at once asks to untick some; the rest can be sent after the turn (P5)', async () => {
  await using at = await start();
  const { pull } = at;
  const long = 'x'.repeat(9_000);
  const notes = Array.from({ length: 60 }, (_, index) => `docs/a.md:${index + 1} No. ${index}.`);
  pull.review('carol', 'CHANGES_REQUESTED', '', notes);
  const shown = await at.pressed(await at.told(CHANGES), 'send_review', alice);
  expect(new Set(shown.match(/docs\/a\.md:\d+/g)).size).toBe(50);
  expect(shown).toContain('10 more comments are left out.');
  // The boxes below stay ticked: 42 of 60 are sent.
  await at.submit({ messages_0: ['No. 0.', 'No. 1.'] });
  await at.replies(1);
  at.end();
  const rest = await at.pressed(await at.carded('[Send the review]'), 'send_review');
  for (const sent of ['No. 1.', 'No. 49.']) expect(rest).not.toContain(sent);
  for (const left of ['No. 2.', 'No. 59.']) expect(rest).toContain(left);
  pull.review('carol', 'APPROVED');
  pull.check('build', 'failure');
  await at.pressed(await at.told(CHECKS), 'ask_for_fix', alice);
  await at.submit({ prompt: 'Fix it' });
  await at.replies(2);
  at.end();
  await at.carded('[Ask for a fix]');

  pull.review(
    'dave',
    'CHANGES_REQUESTED',
    '',
    ['a', 'b', 'c'].map((at) => `docs/a.md:1 ${at}${long}`),
  );
  await at.pressed(await at.told('by dave'), 'send_review', alice);
  expect(JSON.stringify(await at.submit())).toContain('Untick some');
});

test('those whose review is wanted are mentioned where the file names them, or by their e-mail addresses where the scope allows it (P5)', async () => {
  await using at = await start(`people: { Octocat: ${bob} }`, { isDraft: true });
  const { pull, host } = at;
  pull.ask('octocat');
  pull.ask('*dave*<!here>');
  await at.settled(120_000);
  expect(await at.times('Review wanted')).toBe(0);
  pull.ready();
  const { text } = await at.told('*Review wanted*');
  expect(text.split('\n')[0]).toContain(`👀 *Review wanted* on ${link}: <@${bob}>, `);
  expect(text).not.toContain('<!here>');

  await at.restart('');
  host.emails.set('bobby', 'bob@acme.example');
  host.emails.set('eve', 'eve@elsewhere.example');
  pull.ask('bobby');
  // The app has no such scope yet.
  expect((await at.told(': bobby')).text).toMatch(/: bobby$/);
  expect(at.log.some((line) => line.includes('"scope":"users:read.email"'))).toBe(true);
  expect(at.log.join('')).not.toContain('bob@acme.example');
  at.slack.control.grantScopes([...botScopes.map(({ name }) => name), 'users:read.email']);
  await at.restart();
  host.emails.set('alicia', 'alice@acme.example');
  pull.ask('alicia');
  pull.ask('eve');
  expect((await at.told('eve')).text).toContain(`: <@${alice}>, eve`);
});
