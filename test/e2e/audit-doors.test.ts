import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { recipePausedView } from '../../src/slack/views/announcement.ts';
import { auditAt } from '../cli/support/printed.ts';
import { present } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const guest = 'U0GUEST';
const mention = `<@${strictApp.botUserId}>`;
const configFile = `
projects: [{ id: acme-docs, name: handbook }]
admins: [${alice}]
channels: { ${general}: { reaction: memo, approvers: [${alice}] } }
recipes:
  - { name: review, channel: ${general}, request: Check the screenshots }
`;

let world: StrictWorld;
/** How many lines there were before. One that comes late, and should not, is new at the next door. */
let known = 0;
beforeAll(async () => {
  const settings = { SETTLE_WINDOW: '0', FOLLOW_UP_WINDOW: '0' };
  world = await startStrictWorld({ configFile, settings });
  const { control } = world.slack;
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.invite(general, guest);
  const paused = JSON.parse(JSON.stringify(recipePausedView('review', [])));
  const place = { type: 'message', team: strictApp.teamId, channel: general, user: strictApp.botUserId };
  control.restore(general, [{ ...paused, ...place, ts: '1600000000.000100' }]);
  world.slack.onDelivery(() => 2);
});
afterAll(() => world[Symbol.asyncDispose]());

const command = (user: string, text: string, channel = general) =>
  world.slack.control.command({ channel, user, text });
const say = (user: string, text: string, more: { channel?: string; threadTs?: string } = {}) =>
  world.slack.control.message({ channel: general, user, text, ...more });
/** Waits, and lets time run: posts to one channel wait for each other. */
async function seen(what: (message: SlackMessage) => boolean): Promise<SlackMessage> {
  const found = async () => (await world.slack.control.messages(general)).findLast(what);
  const message = await world.later(found, present, 'the message');
  if (message === undefined) throw new Error('there is no such message');
  return message;
}
const latest = (words: string) => seen(({ text }) => text.includes(words));
const press = async (user: string, words: string, button: string) =>
  world.slack.control.press(await latest(words), button, user);

/** Waits for the form that the person sees, and submits it. */
async function submit(user: string, callbackId: string, values: Record<string, string | string[]> = {}) {
  const { control } = world.slack;
  await expect.poll(() => control.modal(user)?.callback_id, { message: 'the form' }).toBe(callbackId);
  expect((await control.submit(user, values)).errors).toBeNull();
}

/** What is new in the audit since the door before: who, did what, how, with what outcome. */
async function newLines(): Promise<string[]> {
  const lines = await auditAt(world.clock.now() + 1, { DATA_DIR: world.env.DATA_DIR });
  const fresh = lines.slice(known);
  const names = new Map([
    [alice, 'Alice'],
    [bob, 'Bob'],
    [guest, 'the guest'],
  ]);
  return fresh.map(
    ({ user_id: user, action, source, outcome }) =>
      `${names.get(user ?? '') ?? 'nobody'}: ${action} ${source} ${outcome}`,
  );
}

const marked = async (text: string, user = alice) => {
  const message = await say(bob, text);
  await world.slack.control.react(message, 'memo', user);
  await world.settled(2_000);
  return message;
};
const draftOf = (message: SlackMessage) =>
  seen(({ thread_ts, text }) => thread_ts === message.ts && text.includes('*Draft*'));

/** One after the other in the same world. The last one looks for what came late. */
describe('an audit has one line for what arrives twice (L4):', () => {
  test.each<readonly [does: string, how: () => Promise<unknown>, lines: readonly string[]]>([
    ['the command', () => command(alice, 'Explain the webhooks'), ['Alice: start command open']],
    [
      'a reply, and an aside',
      async () => {
        const { ts } = await latest('Explain the webhooks');
        await say(bob, 'And the retries', { threadTs: ts });
        await world.clock.advance(1_000);
        await say(bob, 'aside: who knows them?', { threadTs: ts });
      },
      ['Bob: reply thread sent', 'Bob: reply thread aside'],
    ],
    [
      'muting a thread, and what is written then',
      async () => {
        const { ts } = await latest('Explain the webhooks');
        for (const text of ['mute', 'Lunch?', 'unmute']) {
          await say(bob, text, { threadTs: ts });
          await world.clock.advance(1_000);
        }
      },
      ['Bob: reply thread excluded', 'Bob: reply thread muted', 'Bob: reply thread excluded'],
    ],
    [
      '*Start again*',
      async () => {
        world.api.finish(0, { status: 'failed' });
        await world.settled(15_000);
        await press(bob, '*Failed.*', 'start_again');
      },
      ['Bob: press start_again accepted'],
    ],
    [
      '*Send again*',
      async () => {
        const { ts } = await latest('Explain the webhooks');
        world.api.failNext('message', { status: 400, body: '{"error":"not now"}' });
        await say(bob, 'Use the CLI', { threadTs: ts });
        await world.settled(5_000);
        await press(alice, '*Not sent:*', 'send_again');
      },
      ['Bob: reply thread sent', 'Alice: press send_again accepted'],
    ],
    [
      '*Edit and start*',
      async () => {
        world.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
        await command(alice, 'Improve all our docs');
        await world.settled(3_000);
        await press(bob, '*Not accepted.*', 'edit_and_start');
        await submit(bob, 'edit_request', { prompt: 'Improve the index' });
      },
      ['Alice: start command open', 'Bob: press edit_and_start accepted'],
    ],
    ['a mention', () => say(alice, `${mention} Explain the limits`), ['Alice: start mention open']],
    [
      'a direct message',
      () => say(alice, 'Explain the keys', { channel: alice }),
      ['Alice: start direct_message open'],
    ],
    [
      'the form',
      async () => {
        await command(alice, '');
        await submit(alice, 'compose', { prompt: 'Explain the events' });
      },
      ['Alice: start form open'],
    ],
    [
      'the shortcut',
      async () => {
        const message = await say(bob, 'Nobody explains the scopes');
        await world.slack.control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
        await submit(alice, 'compose');
      },
      ['Alice: start shortcut open'],
    ],
    [
      'the home tab',
      async () => {
        await world.slack.control.openHome(alice);
        await world.settled(2_000);
        await world.slack.control.pressInView(alice, 'start_job');
        await submit(alice, 'compose', { prompt: 'Explain the home', channel: general });
      },
      ['Alice: start home open'],
    ],
    [
      'a question, and *Start*',
      async () => {
        await command(alice, 'webhooks');
        await world.settled(1_000);
        const question = await latest('as a new request?');
        for (const _ of ['in time', 'too late']) {
          await world.slack.control.press(question, 'start', alice);
          await world.settled(1_000);
        }
      },
      ['Alice: start command open', 'Alice: press start accepted', 'Alice: press start too_late'],
    ],
    [
      'a mark that is dismissed',
      async () => {
        const draft = await draftOf(await marked('The limits are wrong'));
        await world.slack.control.press(draft, 'start_draft', bob);
        await world.clock.advance(1_000);
        await world.slack.control.press(draft, 'dismiss_draft', alice);
      },
      [
        'Alice: start reaction dismissed',
        'Bob: refusal button no_approver',
        'Alice: press dismiss_draft accepted',
      ],
    ],
    [
      'a mark that is taken away',
      async () => {
        const message = await marked('The keys are wrong');
        await draftOf(message);
        await world.slack.control.unreact(message, 'memo', alice);
      },
      ['Alice: start reaction withdrawn'],
    ],
    [
      'a form for a thread that has a draft by then',
      async () => {
        const message = await say(bob, 'The scopes are wrong');
        await say(alice, `${mention} Document the scopes`, { threadTs: message.ts });
        await press(alice, '*Send this thread along?*', 'choose_messages');
        const { control } = world.slack;
        await expect
          .poll(() => control.modal(alice)?.callback_id, { message: 'the form' })
          .toBe('thread_preview');
        await control.react(message, 'memo', alice);
        await world.settled(2_000);
        await draftOf(message);
        expect((await control.submit(alice, {})).errors).not.toBeNull();
      },
      ['Alice: start reaction draft', 'Alice: refusal form thread_taken'],
    ],
    ['a recipe', () => command(alice, 'run review'), ['Alice: start command open']],
    ['a recipe with an open job', () => command(alice, 'run review'), ['Alice: refusal command recipe_open']],
    ['a recipe that is none', () => command(alice, 'run nothing'), ['Alice: refusal command unknown_recipe']],
    ['no job to watch', () => command(alice, 'watch job_1'), ['Alice: refusal command no_such_job']],
    [
      'a job that is watched',
      () => command(alice, `watch ${world.api.jobs[1]?.id}`),
      ['Alice: refusal command watched_already'],
    ],
    [
      'a workflow',
      () =>
        world.slack.control.runStep({
          ...{ request: 'Document release 2.1', channel: general },
          person: { id: alice, secret: 'hush' },
        }),
      ['Alice: start workflow open'],
    ],
    [
      'settings',
      async () => {
        await command(bob, 'settings');
        await world.clock.advance(1_000);
        await command(alice, 'settings');
        await submit(alice, 'settings', { follow_up_mode: 'mentions' });
      },
      ['Bob: refusal command no_administrator', 'Alice: setting settings saved'],
    ],
    [
      '*Resume*, of a recipe that is not paused any more',
      async () => {
        await press(bob, 'Paused review', 'resume_recipe');
        await world.clock.advance(1_000);
        await press(alice, 'Paused review', 'resume_recipe');
      },
      ['Bob: refusal button no_administrator', 'Alice: press resume_recipe too_late'],
    ],
    ['a command of a guest', () => command(guest, 'Explain it'), ['the guest: refusal command guest']],
    [
      'a direct message of a guest',
      () => say(guest, 'Explain it', { channel: guest }),
      ['the guest: refusal message guest'],
    ],
    [
      'a reply of a guest',
      async () => say(guest, 'Explain it', { threadTs: (await latest('Improve the index')).ts }),
      ['the guest: refusal message guest'],
    ],
    [
      'the shortcut of a guest',
      async () => {
        const message = await latest('Nobody explains');
        await world.slack.control.shortcut({ message, user: guest, callbackId: 'ask_docs_agent' });
      },
      ['the guest: refusal shortcut guest'],
    ],
    ['a mark of a guest', () => marked('All is wrong', guest), ['the guest: refusal reaction guest']],
    [
      'a workflow that a guest starts',
      () =>
        world.slack.control.runStep({
          ...{ request: 'Document it', channel: random },
          person: { id: guest, secret: 'hush' },
        }),
      ['the guest: refusal workflow guest'],
    ],
    ['nothing more', () => world.settled(60_000), []],
  ])('%s', async (_does, how, lines) => {
    await how();
    await world.settled(3_000);
    // A refusal is recorded once the person has the answer.
    await expect.poll(newLines, { message: 'the lines' }).toEqual(lines);
    known += lines.length;
  });
});
