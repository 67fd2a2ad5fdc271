import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPEN_DRAFTS_MAX } from '../../src/jobs/decide/open.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { StoredMessage } from '../support/strict-slack/message.ts';
import { marksIn, startMarkedWorld } from './support/marks.ts';
import type { StrictWorld } from './support/strict-world.ts';

const mention = `<@${strictApp.botUserId}>`;
const appIds = { deploys: 'A0DEPLOY', monitor: 'A0MONITOR', other: 'A0OTHER' } as const;
const config = `access: { bots: [${appIds.deploys}, ${appIds.monitor}, ${strictApp.appId}] }`;
const botUser = 'UDEPLOY';

let world: StrictWorld;
beforeEach(async () => {
  await begin(config);
});
afterEach(() => world[Symbol.asyncDispose]());
const { threadOf, drafts, draftOf, press } = marksIn(() => world);

async function begin(configFile: string): Promise<void> {
  world = await startMarkedWorld(configFile);
  world.slack.control.addUser({ id: botUser, name: 'deploys', isBot: true });
}

async function beginAgain(configFile: string): Promise<void> {
  await world[Symbol.asyncDispose]();
  await begin(configFile);
}

interface Post {
  readonly app?: keyof typeof appIds;
  readonly user?: string;
  readonly channel?: string;
  readonly threadTs?: string;
  readonly fields?: Partial<Pick<StoredMessage, 'app_id' | 'bot_id' | 'subtype'>>;
}

/** As an app posts with the token of its bot, unless `user` is a person. */
function post(
  text: string,
  { app = 'deploys', user = botUser, channel = general, threadTs, fields }: Post = {},
): Promise<SlackMessage> {
  const appId = appIds[app];
  const profile = { id: `B${appId}`, app_id: appId, name: app };
  return world.slack.control.message({
    channel,
    user,
    text,
    threadTs,
    fields: { bot_id: profile.id, app_id: appId, bot_profile: profile, ...fields },
  });
}

const say = (text: string, threadTs?: string) =>
  world.slack.control.message({ channel: general, user: bob, text, threadTs });

/** All that the program has said in the channel, its threads included, publicly or privately. */
const saidByUs = () =>
  world.slack.calls().filter(({ method }) => /^(chat\.post|chat\.update|reactions\.|views\.)/.test(method));

async function nothingFollows(write: () => Promise<unknown>): Promise<void> {
  await world.settled();
  const before = saidByUs().length;
  const prompts = world.prompts();
  await write();
  await world.settled();
  expect(saidByUs().slice(before)).toEqual([]);
  expect(world.prompts()).toEqual(prompts);
}

describe('an app that is listed and mentions the bot', () => {
  test('makes a draft in the thread of its message, which a person starts (R6)', async () => {
    const message = await post(`${mention} Release <b>2.1</b> needs a *page*`);
    const draft = await draftOf(message);
    expect(draft.text).toMatch(/^📝 \*Draft\* from <https:\S+\|deploys's message>/);
    expect(draft.text).toMatch(/\n“Release &lt;b&gt;2\.1&lt;\/b&gt; needs a \*page\*/);
    expect(draft.text).toContain('[Start] [Edit and start] [Dismiss]');
    await world.clock.advance(60_000);
    expect(world.prompts()).toEqual([]);

    await press(draft, 'start_draft', bob);
    await world.settled();
    expect(world.prompts()).toEqual([[expect.stringMatching(/\n> Release <b>2\.1<\/b> needs a \*page\*$/)]]);
    const [settled, card] = await threadOf(message);
    expect(settled?.text).toContain('🚀 Started by bob');
    expect(card?.text).toContain('deploys');
  });

  test('in a thread of people makes it there, with their messages, which the form shows (R6)', async () => {
    const root = await say('Our limits confuse people');
    await post(`${mention} Document it`, { threadTs: root.ts });
    const draft = await draftOf(root);
    expect(draft.text).toContain('1 message of this thread included');
    await press(draft, 'choose_for_draft');
    const form = () => JSON.stringify(world.slack.control.modal(alice)?.blocks);
    await expect.poll(form, { message: 'the form' }).toContain('Our limits confuse people');
    const { blocks = [] } = world.slack.control.modal(alice) ?? {};
    const ticks = blocks.filter(({ type }) => type === 'input').slice(1);
    expect(JSON.stringify(ticks)).not.toContain('Document it');
  });

  test.each(['chat.getPermalink', 'conversations.replies', 'users.info'])(
    'makes it also if %s fails at first, and once (R6)',
    async (method) => {
      let failures = 0;
      world.slack.onCall((call) => {
        const fails = call.method === method && failures < 2;
        if (fails) failures += 1;
        return fails ? { status: 500 } : null;
      });
      const posted = post(`${mention} Document 2.1`);
      await world.clock.advance(5_000);
      const message = await posted;
      await world.settled(60_000);
      const draft = await draftOf(message);
      expect(draft.text).toContain('Document 2.1');
      expect(failures).toBe(2);
      await press(draft, 'dismiss_draft');
      await world.settled(60_000);
      expect(await threadOf(message)).toHaveLength(1);
    },
  );

  test('by an incoming webhook makes one, too, by the name that it calls itself (R6)', async () => {
    const ts = `${Math.floor(world.clock.now() / 1000)}.000001`;
    const hook = {
      type: 'message',
      subtype: 'bot_message',
      ts,
      text: `${mention} Document 2.1`,
      username: 'Release *bot* <!here>',
      bot_id: 'B0HOOK',
      app_id: appIds.deploys,
    } as const;
    const kept = { ...hook, channel: general, user: '', team: 'T0LOCAL' };
    world.slack.control.restore(general, [kept]);
    for (const type of ['message', 'app_mention']) await world.slack.control.raw(general, { ...hook, type });
    const draft = await draftOf(kept);
    expect(draft.text).toMatch(/from <https:\S+\|Release \*bot\* &lt;!here&gt;'s message>/);
    expect(await drafts(kept)).toHaveLength(1);
  });

  test.each([1, 2, 4])(
    'makes one draft, though each event comes %i times, also later (R6)',
    async (copies) => {
      world.slack.onDelivery(() => copies);
      const message = await post(`${mention} Document 2.1`);
      const draft = await draftOf(message);
      expect(await drafts(message)).toHaveLength(1);
      await press(draft, 'dismiss_draft');
      await world.settled();
      const { type: _type, ...fields } = { type: 'message', ...message };
      await world.slack.control.raw(general, { ...fields, type: 'app_mention' });
      await world.settled();
      expect(await drafts(message)).toHaveLength(1);
    },
  );

  test('again and again, as one that echoes does, makes a few drafts until people decide (R6, F4)', async () => {
    const messages: SlackMessage[] = [];
    for (let count = 0; count < OPEN_DRAFTS_MAX + 3; count += 1)
      messages.push(await post(`${mention} Echo ${count}`));
    await world.settled();
    const [first, ...made] = (await Promise.all(messages.map(drafts))).flat();
    if (first === undefined) throw new Error('there is no draft');
    expect(made).toHaveLength(OPEN_DRAFTS_MAX - 1);
    const ignored = world.log.filter((line) => line.includes('app_mention_ignored'));
    expect(ignored).toHaveLength(3);
    expect(ignored[0]).toContain(appIds.deploys);

    // Each app has its own share.
    const others = await post(`${mention} Document the alarms`, { app: 'monitor' });
    expect((await draftOf(others)).text).toContain('Document the alarms');
    await nothingFollows(() => post(`${mention} Still echoing`));
    await press(first, 'dismiss_draft');
    const next = await post(`${mention} Document 2.2`);
    expect((await draftOf(next)).text).toContain('Document 2.2');
  });

  test('all at once makes no more drafts (R6, F4)', async () => {
    const count = OPEN_DRAFTS_MAX + 3;
    const messages = await Promise.all(
      Array.from({ length: count }, (_, at) => post(`${mention} Echo ${at}`)),
    );
    await world.settled();
    const made = await Promise.all(messages.map(drafts));
    expect(made.flat()).toHaveLength(OPEN_DRAFTS_MAX);
  });
});

test("a person's message that a listed app posts with the person's token is that person's request (R6)", async () => {
  const message = await post(`${mention} Document 2.1`, { user: bob });
  await world.started('Document 2.1');
  await world.settled();
  expect(await drafts(message)).toEqual([]);
});

describe('nothing follows if an app', () => {
  const asked = `${mention} Document 2.1`;

  test.each<[string, () => Promise<unknown>]>([
    ['is not listed', () => post(asked, { app: 'other' })],
    [
      'is not listed, and posts as a webhook does',
      () => post(asked, { app: 'other', fields: { subtype: 'bot_message' } }),
    ],
    ['does not mention the bot', () => post('Released 2.1')],
    ['mentions somebody else', () => post(`<@${alice}> Document 2.1`)],
    ['says nothing besides', () => post(`${mention} `)],
    ['is this program, though it is listed', () => post(asked, { fields: { app_id: strictApp.appId } })],
    ['is the bot of this program', () => post(asked, { fields: { bot_id: strictApp.botId } })],
    ['writes a direct message', () => post(asked, { channel: alice })],
    [
      'mentions the bot by an edit',
      async () => world.slack.control.editMessage(await post('Released 2.1'), asked),
    ],
    ['only reports something', () => post(asked, { fields: { subtype: 'channel_topic' } })],
  ])('%s (R6, F4)', async (_what, write) => {
    await nothingFollows(write);
  });

  test('writes where the program may not be used (R6)', async () => {
    await beginAgain(`access: { bots: [${appIds.deploys}], channels: [C0ELSEWHERE] }`);
    await nothingFollows(() => post(asked));
  });

  test('writes in the thread of a job, or of an open draft (R6, F4)', async () => {
    const card = await world.ask('Document the limits');
    const drafted = await post(asked);
    await draftOf(drafted);
    await nothingFollows(async () => {
      for (const { ts } of [card, drafted]) await post(asked, { threadTs: ts });
    });
    expect(await drafts(card)).toEqual([]);
    expect(await drafts(drafted)).toHaveLength(1);
  });

  test('is listed no more by the time that its message is read (R6)', async () => {
    world.slack.onCall(({ method }) => (method === 'chat.getPermalink' ? { status: 503 } : null));
    const message = await post(asked);
    await world.settled(1_000);
    world.slack.onCall(() => null);
    await world.restart('access: {}');
    await world.settled(60_000);
    expect(await drafts(message)).toEqual([]);
  });
});
