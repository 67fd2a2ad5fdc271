import { expect, test } from 'vitest';
import { startCodeHost } from '../support/code-host/code-host.ts';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { createTestClock } from '../support/test-clock.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;

/** The program with a stand-in for GitHub that has one pull request, and `random` as the notice channel. */
async function start() {
  const codeHost = await startCodeHost({ token: 'read-only', clock: createTestClock(Date.now()) });
  const pull = codeHost.open({
    repository: 'acme/docs',
    number: 14,
    title: 'Explain <!channel> the *limits*',
  });
  pull.check('build', null);
  const world = await startStrictWorld({
    configFile: `admins: [${alice}]`,
    settings: {
      NOTICE_CHANNELS: random,
      GITHUB_TOKEN: 'read-only',
      // Its links are those of github.com.
      GITHUB_API_URL: codeHost.githubApiUrl,
    },
  });
  world.slack.control.invite(random, strictApp.botUserId);
  const control = world.slack.control;
  const posts = (card: SlackMessage) => control.thread(general, card.ts);
  const notices = async () => (await control.messages(random)).filter(({ text }) => text.startsWith('📝'));
  const only = (found: readonly SlackMessage[]) => {
    expect(found).toHaveLength(1);
    return found[0] as SlackMessage;
  };
  return {
    world,
    pull,
    codeHost,
    /** The message with the pull request, as soon as it says so. */
    told: async (card: SlackMessage, words: string) =>
      only(
        await world.later(
          async () => (await posts(card)).filter(({ text }) => ANNOUNCED.test(text)),
          (found) => found.some(({ text }) => text.includes(words)),
          `the thread to say "${words}"`,
        ),
      ),
    noticed: async (words: string) =>
      only(
        await world.later(
          notices,
          (found) => found.some(({ text }) => text.includes(words)),
          `a notice: ${words}`,
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await codeHost.close();
    },
  };
}

/** Also when it is over. */
const ANNOUNCED = /\*(?:Pull request ready|Merged|Closed without merging):\*/;

/** Asks, and ends the job with the pull request. Returns the card. */
async function ready({ slack, api, ask, threadMessage }: StrictWorld): Promise<SlackMessage> {
  const card = await ask('Document the limits');
  await threadMessage(card, 'On it');
  api.finish(0, { status: 'completed', prLink: url });
  await threadMessage(card, 'Pull request ready');
  expect(slack.calls('chat.postMessage').length).toBeGreaterThan(0);
  return card;
}

test('a pull request is followed in the messages that announced it, without another one for it (P1)', async () => {
  await using running = await start();
  const { world, pull, told, noticed } = running;
  const card = await ready(world);
  // Beside a soft hyphen, the signs format nothing.
  const title = 'Explain &lt;!channel&gt; the \u00ad*limits*\u00ad';
  const first = await told(card, `${link}\n*${title}*\n+120 −8 in 3 files · ⏳ checks running`);
  const notice = await noticed(`📝 ${link} · *${title}* · by alice · open · checks running`);

  pull.check('build', 'failure');
  await world.shows(card, '✅ *Pull request ready*');
  await world.shows(card, '⚠️ *Checks failing*');
  pull.check('build', 'success');
  pull.review('bob', 'APPROVED');
  pull.deploy('https://docs-14.acme.example/');
  await told(card, '✅ checks passing · approved');
  expect((await noticed('open · checks passing · approved')).text).toContain('https://docs-14.acme.example/');

  pull.merge('bob');
  await world.shows(card, `✅ *Merged* · ${link}`);
  expect(await told(card, '*Merged:*')).toMatchObject({ ts: first.ts });
  expect(await noticed('· merged')).toMatchObject({ ts: notice.ts });
  const said = world.slack.calls('chat.postMessage').map(({ args }) => String(args.text).slice(0, 2));
  expect(said.filter((icon) => icon === '🎉')).toHaveLength(1);
  expect(said.filter((icon) => icon === '📝')).toHaveLength(1);
});

test('administrators learn in Slack that the code host takes the token no longer (P4)', async () => {
  await using running = await start();
  const { world, codeHost, told } = running;
  const { control } = world.slack;
  const doctor = async () => {
    await control.command({ channel: general, user: alice, text: 'doctor' });
    return (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral')?.text;
  };
  const card = await ready(world);
  await told(card, 'checks running');
  expect(await doctor()).toContain('✅ *Code host* (github.com) answered');
  codeHost.expire();
  await world.later(
    doctor,
    (said) => said?.includes('*Code host* (github.com) has refused the token') === true,
    'doctor',
  );
});

/** Ends a job with the pull request and a reply that the agent did not take: two messages offer to send it again. */
async function readyWithout(world: StrictWorld) {
  const { slack, api } = world;
  const card = await world.working('Document the limits');
  api.failNext('message', { status: 400, body: '{"error":"not now"}' });
  await slack.control.reply(card, 'Use the CLI');
  const notSent = await world.threadMessage(card, 'Not sent');
  api.finish(0, { status: 'completed', prLink: url });
  return { card, notSent };
}

test('a message that offers something and describes a pull request keeps both up to date (P1)', async () => {
  await using running = await start();
  const { world, pull, told } = running;
  const { card } = await readyWithout(world);
  const described = await told(card, 'checks running');
  expect(described.text).toContain('[Send again]');
  await world.slack.control.press(described, 'send_again', alice);
  const settled = await told(card, 'alice sent it again');
  expect(settled.text).toContain('checks running');
  pull.close('bob');
  const closed = await told(card, '*Closed without merging:*');
  expect(closed.text).toContain('alice sent it again');
  expect(closed.text).not.toContain('[Send again]');
});

test('a message that somebody deleted keeps no other from being edited (P1)', async () => {
  await using running = await start();
  const { world, pull, told } = running;
  const { card, notSent } = await readyWithout(world);
  const described = await told(card, 'checks running');
  world.slack.onCall(({ method, args }) =>
    method === 'chat.update' && args.ts === notSent.ts ? { error: 'message_not_found' } : null,
  );
  await world.slack.control.press(described, 'send_again', alice);
  await told(card, 'alice sent it again');
  pull.merge('bob');
  await told(card, '*Merged:*');
});

test('a message that was under way when the code host answered is edited once it is there (P1)', async () => {
  await using running = await start();
  const { world, told, noticed } = running;
  const unanswered = new Set(['🎉', '📝']);
  world.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && unanswered.delete([...String(args.text)][0] ?? '')
      ? { errorAfter: 'internal_error' }
      : null,
  );
  const card = await ready(world);
  await told(card, 'checks running');
  await noticed('open · checks running');
  expect(unanswered.size).toBe(0);
});

test('checks that come and go edit a message at most once a minute (P1)', async () => {
  await using running = await start();
  const { world, pull, told } = running;
  const card = await ready(world);
  const { ts } = await told(card, 'checks running');
  const edits = () => world.slack.calls('chat.update').filter(({ args }) => args.ts === ts).length;
  const before = edits();
  for (let second = 0; second < 600; second += 5) {
    pull.check('build', second % 10 === 0 ? 'success' : 'failure');
    await world.clock.advance(5_000);
  }
  expect(edits() - before).toBeLessThanOrEqual(600_000 / MINUTE_MS + 1);
});

test('a notice channel that takes no edit holds up no other message (P1)', async () => {
  await using running = await start();
  const { world, pull, told, noticed } = running;
  const card = await ready(world);
  await noticed('checks running');
  world.slack.onCall(({ method, args }) =>
    method === 'chat.update' && args.channel === random
      ? { status: 429, headers: { 'retry-after': '30' } }
      : null,
  );
  pull.merge('bob');
  await told(card, '*Merged:*');
  await world.shows(card, '*Merged*');
  world.slack.onCall(() => null);
  await noticed('· merged');
});

test('a notice of a private request says how its pull request stands, and never its title (P1)', async () => {
  await using running = await start();
  const { world, pull, noticed } = running;
  const { control } = world.slack;
  const secret = 'G0SECRET';
  control.openChannel({ id: secret, name: 'secret', type: 'group', members: [alice, strictApp.botUserId] });
  await control.command({ channel: secret, user: alice, text: 'Document the layoffs' });
  await world.started('Document the layoffs');
  world.api.finish(0, { status: 'completed', prLink: url });
  await noticed('open · checks running');
  pull.merge('bob');
  expect((await noticed('merged')).text).toBe(`📝 ${link} · *New documentation pull request* · merged`);
  const sent = JSON.stringify(world.slack.calls().filter(({ args }) => args.channel === random));
  expect(sent).not.toMatch(/limits|layoffs/);
});

test('a link of a host that a setting names is called as people there call it, also without a token (W3)', async () => {
  await using world = await startStrictWorld({
    settings: { NOTICE_CHANNELS: random, GITLAB_URL: 'https://git.example.org:8443/code' },
  });
  const { slack, api, ask, threadMessage, later } = world;
  const { control } = slack;
  control.invite(random, strictApp.botUserId);
  const mergeRequest = 'https://git.example.org:8443/code/team/sub/docs/-/merge_requests/31';
  const shown = `<${mergeRequest}|team/sub/docs!31>`;
  const card = await ask('Document the limits');
  await threadMessage(card, 'On it');
  api.finish(0, { status: 'completed', prLink: mergeRequest });
  expect((await threadMessage(card, 'Pull request ready')).text).toContain(shown);
  const seen = async () => {
    await control.command({ channel: general, user: alice, text: 'list' });
    const [inGeneral, inRandom] = await Promise.all([control.messages(general), control.messages(random)]);
    return {
      card: inGeneral.find(({ ts }) => ts === card.ts)?.text ?? '',
      list: inGeneral.findLast(({ subtype }) => subtype === 'ephemeral')?.text ?? '',
      notice: inRandom.find(({ text }) => text.startsWith('📝'))?.text ?? '',
    };
  };
  const isNamed = (texts: Record<string, string>) =>
    Object.values(texts).every((text) => text.includes(shown));
  await later(seen, isNamed, 'the short name on the card, in the list and in the notice');
});
