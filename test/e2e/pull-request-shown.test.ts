import { expect, test } from 'vitest';
import { startCodeHost } from '../support/code-host/code-host.ts';
import { includes } from '../support/is.ts';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { createTestClock } from '../support/test-clock.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;
/** Also when it is over. */
const ANNOUNCED = /\*(?:Pull request ready|Merged|Closed without merging):\*/;

/** The program with a stand-in for GitHub that has one pull request, and `random` as the notice channel. */
async function start() {
  const codeHost = await startCodeHost({ token: 'read-only', clock: createTestClock(Date.now()) });
  const title = 'Explain <!channel> the *limits*';
  const pull = codeHost.open({ repository: 'acme/docs', number: 14, title });
  pull.check('build', null);
  // Its links are those of github.com.
  const github = { GITHUB_TOKEN: 'read-only', GITHUB_API_URL: codeHost.githubApiUrl };
  const world = await startStrictWorld({
    configFile: `admins: [${alice}]`,
    settings: { NOTICE_CHANNELS: random, ...github },
  });
  const { control } = world.slack;
  control.invite(random, strictApp.botUserId);
  /** The only one of them, as soon as it says so. */
  const only = async (all: () => Promise<readonly SlackMessage[]>, words: string) => {
    const isThere = (found: readonly SlackMessage[]) => found.some(({ text }) => text.includes(words));
    const found = await world.later(all, isThere, words);
    expect(found).toHaveLength(1);
    return found[0] as SlackMessage;
  };
  const stop = world[Symbol.asyncDispose];
  return Object.assign(world, {
    ...{ host: codeHost, pull },
    /** Ends the job with the pull request. */
    end: () => world.api.finish(0, { status: 'completed', prLink: url }),
    /** The message with the pull request, as soon as it says so. */
    told: (card: SlackMessage, words: string) =>
      only(async () => (await world.thread(card)).filter(({ text }) => ANNOUNCED.test(text)), words),
    noticed: (words: string) =>
      only(async () => (await control.messages(random)).filter(({ text }) => text.startsWith('📝')), words),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await codeHost.close();
    },
  });
}

test('a pull request is followed in the messages that announced it, without another one for it (P1)', async () => {
  await using at = await start();
  const { pull } = at;
  // Under way when the code host answers, they are edited once they are there.
  const unanswered = new Set(['🎉', '📝']);
  at.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && unanswered.delete([...String(args.text)][0] ?? '')
      ? { errorAfter: 'internal_error' }
      : null,
  );
  const card = await at.working('Document the limits');
  at.end();
  // Beside a soft hyphen, the signs format nothing.
  const title = 'Explain &lt;!channel&gt; the \u00ad*limits*\u00ad';
  const first = await at.told(card, `${link}\n*${title}*\n+120 −8 in 3 files · ⏳ checks running`);
  const notice = await at.noticed(`📝 ${link} · *${title}* · by alice · open · checks running`);
  expect(unanswered.size).toBe(0);

  pull.check('build', 'failure');
  await at.shows(card, '✅ *Pull request ready*');
  await at.shows(card, '⚠️ *Checks failing*');
  pull.check('build', 'success');
  pull.review('bob', 'APPROVED');
  pull.deploy('https://docs-14.acme.example/');
  await at.told(card, '✅ checks passing · approved');
  expect((await at.noticed('open · checks passing · approved')).text).toContain(
    'https://docs-14.acme.example/',
  );

  // A channel that takes no edit holds up no other message.
  const fault = { status: 429, headers: { 'retry-after': '30' } };
  at.slack.onCall(({ method, args }) => (method === 'chat.update' && args.channel === random ? fault : null));
  pull.merge('bob');
  await at.shows(card, `✅ *Merged* · ${link}`);
  expect(await at.told(card, '*Merged:*')).toMatchObject({ ts: first.ts });
  at.slack.onCall(() => null);
  expect(await at.noticed('· merged')).toMatchObject({ ts: notice.ts });
});

test('a message that offers something and describes a pull request keeps both up to date, though another was deleted (P1)', async () => {
  await using at = await start();
  const card = await at.working('Document the limits');
  at.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
  await at.slack.control.reply(card, 'Use the CLI');
  const notSent = await at.threadMessage(card, 'Not sent');
  at.end();
  const described = await at.told(card, 'checks running');
  expect(described.text).toContain('[Send again]');
  at.slack.onCall(({ method, args }) =>
    method === 'chat.update' && args.ts === notSent.ts ? { error: 'message_not_found' } : null,
  );
  await at.slack.control.press(described, 'send_again', alice);
  expect((await at.told(card, 'alice sent it again')).text).toContain('checks running');
  at.pull.close('bob');
  const closed = await at.told(card, '*Closed without merging:*');
  expect(closed.text).toContain('alice sent it again');
  expect(closed.text).not.toContain('[Send again]');
});

test('checks that come and go edit a message at most once a minute; administrators learn in Slack that the token is no longer taken (P1, P4)', async () => {
  await using at = await start();
  const card = await at.working('Document the limits');
  at.end();
  const { ts } = await at.told(card, 'checks running');
  const edits = () => at.slack.calls('chat.update').filter(({ args }) => args.ts === ts).length;
  const before = edits();
  for (let second = 0; second < 600; second += 5) {
    at.pull.check('build', second % 10 === 0 ? 'success' : 'failure');
    await at.clock.advance(5_000);
  }
  expect(edits() - before).toBeLessThanOrEqual(600_000 / MINUTE_MS + 1);

  at.host.expire();
  const doctor = async () => {
    await at.command('doctor');
    return (await at.privately()).at(-1);
  };
  await at.later(doctor, includes('*Code host* (github.com) has refused the token'), 'doctor');
});

test('a notice of a private request says how its pull request stands, and never its title (P1)', async () => {
  await using at = await start();
  const secret = 'G0SECRET';
  const members = [alice, strictApp.botUserId];
  at.slack.control.openChannel({ id: secret, name: 'secret', type: 'group', members });
  await at.command('Document the layoffs', alice, secret);
  await at.started('Document the layoffs');
  at.end();
  await at.noticed('open · checks running');
  at.pull.merge('bob');
  expect((await at.noticed('merged')).text).toBe(`📝 ${link} · *New documentation pull request* · merged`);
  const sent = JSON.stringify(at.slack.calls().filter(({ args }) => args.channel === random));
  expect(sent).not.toMatch(/limits|layoffs/);
});

test('a link of a host that a setting names is called as people there call it, without a token, too, and previewed nowhere (W3)', async () => {
  await using world = await startStrictWorld({
    settings: { NOTICE_CHANNELS: random, GITLAB_URL: 'https://git.example.org:8443/code' },
  });
  const { control } = world.slack;
  control.invite(random, strictApp.botUserId);
  const mergeRequest = 'https://git.example.org:8443/code/team/sub/docs/-/merge_requests/31';
  const shown = `<${mergeRequest}|team/sub/docs!31>`;
  const card = await world.working('Document the limits');
  world.api.finish(0, { status: 'completed', prLink: mergeRequest });
  expect((await world.threadMessage(card, 'Pull request ready')).text).toContain(shown);
  await world.shows(card, shown);
  await world.command('list');
  expect((await world.privately()).at(-1)).toContain(shown);
  const notices = async () => (await control.messages(random)).map(({ text }) => text).join();
  await world.later(notices, includes(shown), 'the notice');

  // The thread takes no more posts, so that the next one goes to the requester privately.
  world.slack.onCall(({ method, args }) =>
    method === 'chat.postEphemeral' || (method === 'chat.postMessage' && args.thread_ts !== undefined)
      ? { error: 'thread_locked' }
      : null,
  );
  await control.reply(card, 'Once more');
  world.api.finish(0, { status: 'completed', prLink: url });
  const told = async () => (await control.messages(alice)).map(({ text }) => text).join();
  await world.later(told, includes(url), 'the private message');
  const posts = world.slack
    .calls('chat.postMessage')
    .filter(({ args }) => /docs!31|docs#14/.test(String(args.text)));
  expect(new Set(posts.map(({ args }) => args.channel))).toEqual(new Set([general, random, alice]));
  for (const { args } of posts)
    expect([String(args.unfurl_links), String(args.unfurl_media)]).toEqual(['false', 'false']);
});
