import { describe, expect, test } from 'vitest';
import { OPEN_DRAFTS_MAX } from '../../src/jobs/decide/open.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import type { StoredMessage } from '../support/strict-slack/message.ts';
import { startMarkedWorld } from './support/marks.ts';

const mention = `<@${strictApp.botUserId}>`;
const appIds = { deploys: 'A0DEPLOY', monitor: 'A0MONITOR', other: 'A0OTHER' } as const;
const config = `access: { bots: [${appIds.deploys}, ${appIds.monitor}, ${strictApp.appId}] }`;

interface Post {
  readonly app?: keyof typeof appIds;
  readonly user?: string;
  readonly channel?: string;
  readonly threadTs?: string;
  readonly fields?: Partial<Pick<StoredMessage, 'app_id' | 'bot_id' | 'subtype'>>;
}

async function start(configFile = config) {
  const world = await startMarkedWorld(configFile);
  const saidByUs = () =>
    world.slack.calls().filter(({ method }) => /^(chat\.post|chat\.update|reactions\.|views\.)/.test(method));
  return Object.assign(world, {
    /** As an app posts with the token of its bot, unless `user` is a person. */
    post: (text: string, post: Post = {}): Promise<SlackMessage> => {
      const { app = 'deploys', user = 'UDEPLOY', fields, ...more } = post;
      const profile = { id: `B${appIds[app]}`, app_id: appIds[app], name: app };
      const ofApp = { bot_id: profile.id, app_id: appIds[app], bot_profile: profile, ...fields };
      return world.say(text, { user, fields: ofApp, ...more });
    },
    /** In the channel, its threads included, publicly or privately, or at the agent. */
    nothingFollows: async (write: () => Promise<unknown>, what = '') => {
      await world.settled();
      const before = saidByUs().length;
      const prompts = world.prompts();
      await write();
      await world.settled();
      expect(saidByUs().slice(before), what).toEqual([]);
      expect(world.prompts(), what).toEqual(prompts);
    },
  });
}

describe('an app that is listed and mentions the bot', () => {
  test('makes a draft in the thread of its message, which a person starts (R6)', async () => {
    await using world = await start();
    const message = await world.post(`${mention} Release <b>2.1</b> needs a *page*`);
    const draft = await world.draftOf(message);
    expect(draft.text).toMatch(/^📝 \*Draft\* from <https:\S+\|deploys's message>/);
    expect(draft.text).toMatch(/\n“Release &lt;b&gt;2\.1&lt;\/b&gt; needs a \*page\*/);
    expect(draft.text).toContain('[Start] [Edit and start] [Dismiss]');
    await world.clock.advance(60_000);
    expect(world.prompts()).toEqual([]);
    await world.press(draft, 'start_draft', bob);
    await world.settled();
    expect(world.prompts()).toEqual([[expect.stringMatching(/\n> Release <b>2\.1<\/b> needs a \*page\*$/)]]);
    const [settled, card] = await world.thread(message);
    expect(settled?.text).toContain('🚀 Started by bob');
    expect(card?.text).toContain('deploys');

    // With a person's token, it is that person's request.
    const persons = await world.post(`${mention} Document 2.1`, { user: bob });
    await world.started('Document 2.1');
    await world.settled();
    expect(await world.drafts(persons)).toEqual([]);
  });

  test('in a thread of people makes it there, with their messages, which the form shows (R6)', async () => {
    await using world = await start();
    const root = await world.write('Our limits confuse people');
    await world.post(`${mention} Document it`, { threadTs: root.ts });
    const draft = await world.draftOf(root);
    expect(draft.text).toContain('1 message of this thread included');
    await world.press(draft, 'choose_for_draft');
    await world.formShows('Our limits confuse people');
    const { blocks = [] } = world.slack.control.modal(alice) ?? {};
    const ticks = blocks.filter(({ type }) => type === 'input').slice(1);
    expect(JSON.stringify(ticks)).not.toContain('Document it');
  });

  test('makes one draft, though each event comes four times, also later, and Slack fails at first (R6)', async () => {
    await using world = await start();
    world.slack.onDelivery(() => 4);
    const left = world.failAtFirst(['chat.getPermalink', 'conversations.replies'], 2);
    const posted = world.post(`${mention} Document 2.1`);
    await world.clock.advance(5_000);
    const message = await posted;
    await world.settled(60_000);
    const draft = await world.draftOf(message);
    expect([...left.values()]).toEqual([0, 0]);
    await world.press(draft, 'dismiss_draft');
    await world.settled();
    await world.slack.control.raw(general, { ...message, type: 'app_mention' });
    await world.settled(60_000);
    expect(await world.thread(message)).toHaveLength(1);
  });

  test('by an incoming webhook makes one, too, by the name that it calls itself (R6)', async () => {
    await using world = await start();
    const hook = {
      type: 'message',
      subtype: 'bot_message',
      ts: `${Math.floor(world.clock.now() / 1000)}.000001`,
      text: `${mention} Document 2.1`,
      username: 'Release *bot* <!here>',
      bot_id: 'B0HOOK',
      app_id: appIds.deploys,
    } as const;
    const kept = { ...hook, channel: general, user: '', team: 'T0LOCAL' };
    world.slack.control.restore(general, [kept]);
    for (const type of ['message', 'app_mention']) await world.slack.control.raw(general, { ...hook, type });
    const draft = await world.draftOf(kept);
    expect(draft.text).toMatch(/from <https:\S+\|Release \*bot\* &lt;!here&gt;'s message>/);
    expect(await world.drafts(kept)).toHaveLength(1);
  });

  test('again and again, all at once, as one that echoes does, makes a few drafts until people decide (R6, F4)', async () => {
    await using world = await start();
    const echoes = Array.from({ length: OPEN_DRAFTS_MAX + 3 }, (_, at) =>
      world.post(`${mention} Echo ${at}`),
    );
    const messages = await Promise.all(echoes);
    await world.settled();
    const [first, ...made] = (await Promise.all(messages.map(world.drafts))).flat();
    if (first === undefined) throw new Error('there is no draft');
    expect(made).toHaveLength(OPEN_DRAFTS_MAX - 1);
    const ignored = world.log.filter((line) => line.includes('app_mention_ignored'));
    expect(ignored).toHaveLength(3);
    expect(ignored[0]).toContain(appIds.deploys);

    // Each app has its own share.
    const others = await world.post(`${mention} Document the alarms`, { app: 'monitor' });
    expect((await world.draftOf(others)).text).toContain('Document the alarms');
    await world.nothingFollows(() => world.post(`${mention} Still echoing`));
    await world.press(first, 'dismiss_draft');
    const next = await world.post(`${mention} Document 2.2`);
    expect((await world.draftOf(next)).text).toContain('Document 2.2');
  });
});

const asked = `${mention} Document 2.1`;

test('nothing follows an app that is not listed, mentions nobody, or is the program itself; nor one in a thread that is taken (R6, F4)', async () => {
  await using world = await start();
  const { post } = world;
  const card = await world.ask('Document the limits');
  const drafted = await post(asked);
  await world.draftOf(drafted);
  const attempts: Record<string, () => Promise<unknown>> = {
    'is not listed': () => post(asked, { app: 'other' }),
    'is not listed, and posts as a webhook does': () =>
      post(asked, { app: 'other', fields: { subtype: 'bot_message' } }),
    'does not mention the bot': () => post('Released 2.1'),
    'mentions somebody else': () => post(`<@${alice}> Document 2.1`),
    'says nothing besides': () => post(`${mention} `),
    'is this program, though it is listed': () => post(asked, { fields: { app_id: strictApp.appId } }),
    'is the bot of this program': () => post(asked, { fields: { bot_id: strictApp.botId } }),
    'writes a direct message': () => post(asked, { channel: alice }),
    'mentions the bot by an edit': async () =>
      world.slack.control.editMessage(await post('Released 2.1'), asked),
    'only reports something': () => post(asked, { fields: { subtype: 'channel_topic' } }),
    'writes in the thread of a job': () => post(asked, { threadTs: card.ts }),
    'writes in the thread of a draft': () => post(asked, { threadTs: drafted.ts }),
  };
  for (const [what, write] of Object.entries(attempts)) await world.nothingFollows(write, what);
});

test('nothing follows an app where the program may not be used, or that is no longer listed when its message is read (R6)', async () => {
  await using world = await start(`access: { bots: [${appIds.deploys}], channels: [C0ELSEWHERE] }`);
  await world.nothingFollows(() => world.post(asked));
  await world.restart(config);
  world.slack.onCall(({ method }) => (method === 'chat.getPermalink' ? { status: 503 } : null));
  const message = await world.post(asked);
  await world.settled(1_000);
  world.slack.onCall(() => null);
  await world.restart('access: {}');
  await world.settled(60_000);
  expect(await world.drafts(message)).toEqual([]);
});
