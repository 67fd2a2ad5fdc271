import { expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { recipePausedView } from '../../src/slack/views/announcement.ts';
import { auditAt } from '../cli/support/printed.ts';
import { present } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startStrictWorld } from './support/strict-world.ts';

const guest = 'U0GUEST';
const NAMES = new Map([
  [alice, 'Alice'],
  [bob, 'Bob'],
  [guest, 'the guest'],
]);
const mention = `<@${strictApp.botUserId}>`;
const configFile = `
projects: [{ id: acme-docs, name: handbook }]
admins: [${alice}]
channels: { ${general}: { reaction: memo, approvers: [${alice}] } }
recipes:
  - { name: review, channel: ${general}, request: Check the screenshots }
`;

async function start() {
  const settings = { SETTLE_WINDOW: '0', FOLLOW_UP_WINDOW: '0' };
  const world = await startStrictWorld({ configFile, settings });
  const { control } = world.slack;
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.invite(general, guest);
  const paused = JSON.parse(JSON.stringify(recipePausedView('review', [])));
  const place = { type: 'message', team: strictApp.teamId, channel: general, user: strictApp.botUserId };
  control.restore(general, [{ ...paused, ...place, ts: '1600000000.000100' }]);
  world.slack.onDelivery(() => 2);

  /** Waits, and lets time run: posts to one channel wait for each other. */
  const seen = async (what: (message: SlackMessage) => boolean): Promise<SlackMessage> => {
    const found = async () => (await control.messages(general)).findLast(what);
    const message = await world.later(found, present, 'the message');
    if (message === undefined) throw new Error('there is no such message');
    return message;
  };
  const latest = (words: string) => seen(({ text }) => text.includes(words));
  let known = 0;
  /** Who, did what, how, with what outcome. */
  const newLines = async () => {
    const lines = await auditAt(world.clock.now() + 1, { DATA_DIR: world.env.DATA_DIR });
    return lines
      .slice(known)
      .map((line) => `${NAMES.get(line.user_id ?? '')}: ${line.action} ${line.source} ${line.outcome}`);
  };
  return Object.assign(world, {
    latest,
    draftOf: ({ ts }: SlackMessage) =>
      seen(({ thread_ts, text }) => thread_ts === ts && text.includes('*Draft*')),
    press: async (words: string, button: string, user = alice) =>
      control.press(await latest(words), button, user),
    ask: async (message: SlackMessage, user = alice) =>
      control.shortcut({ message, user, callbackId: 'ask_docs_agent' }),
    fill: async (callbackId: string, values: Record<string, string> = {}, user = alice) => {
      await expect.poll(() => control.modal(user)?.callback_id, { message: 'the form' }).toBe(callbackId);
      expect(await world.submit(values, user)).toBeNull();
    },
    marked: async (text: string, user = alice) => {
      const message = await world.say(text, { user: bob });
      await control.react(message, 'memo', user);
      await world.settled(2_000);
      return message;
    },
    /** These lines are new in the audit then. One that comes late, and should not, is new at the next door. */
    isAudited: async (...lines: readonly string[]) => {
      await world.settled(3_000);
      // A refusal is recorded once the person has the answer.
      await expect.poll(newLines, { message: `the lines ${lines.join()}` }).toEqual(lines);
      known += lines.length;
    },
  });
}

test('an audit has one line for each start, reply, press and refusal that arrives twice (L4)', async () => {
  await using world = await start();
  const { api, command, fill, isAudited, latest, press, say } = world;
  const { control } = world.slack;

  await command('Explain the webhooks');
  await isAudited('Alice: start command open');
  const { ts: threadTs } = await latest('Explain the webhooks');
  const inThread = { user: bob, threadTs };
  for (const text of ['And the retries', 'aside: who knows them?', 'mute', 'Lunch?', 'unmute']) {
    await say(text, inThread);
    await world.clock.advance(1_000);
  }
  const outcomes = ['sent', 'aside', 'excluded', 'muted', 'excluded'];
  await isAudited(...outcomes.map((outcome) => `Bob: reply thread ${outcome}`));

  api.finish(0, { status: 'failed' });
  await world.settled(15_000);
  await press('*Failed.*', 'start_again', bob);
  await isAudited('Bob: press start_again accepted');
  api.failNext('message', { status: 400, body: '{"error":"not now"}' });
  await say('Use the CLI', inThread);
  await press('*Not sent:*', 'send_again');
  await isAudited('Bob: reply thread sent', 'Alice: press send_again accepted');
  api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
  await command('Improve all our docs');
  await press('*Not accepted.*', 'edit_and_start', bob);
  await fill('edit_request', { prompt: 'Improve the index' }, bob);
  await isAudited('Alice: start command open', 'Bob: press edit_and_start accepted');

  await say(`${mention} Explain the limits`);
  await isAudited('Alice: start mention open');
  await say('Explain the keys', { channel: alice });
  await isAudited('Alice: start direct_message open');
  await command('');
  await fill('compose', { prompt: 'Explain the events' });
  await isAudited('Alice: start form open');
  const scopes = await say('Nobody explains the scopes', { user: bob });
  await world.ask(scopes);
  await fill('compose');
  await isAudited('Alice: start shortcut open');
  await control.openHome(alice);
  await world.settled(2_000);
  await control.pressInView(alice, 'start_job');
  await fill('compose', { prompt: 'Explain the home', channel: general });
  await isAudited('Alice: start home open');
  await command('webhooks');
  const question = await latest('as a new request?');
  for (const _of of ['in time', 'too late']) {
    await control.press(question, 'start', alice);
    await world.settled(1_000);
  }
  await isAudited('Alice: start command open', 'Alice: press start accepted', 'Alice: press start too_late');

  const dismissed = await world.draftOf(await world.marked('The limits are wrong'));
  await control.press(dismissed, 'start_draft', bob);
  await world.clock.advance(1_000);
  await control.press(dismissed, 'dismiss_draft', alice);
  await isAudited(
    'Alice: start reaction dismissed',
    'Bob: refusal button no_approver',
    'Alice: press dismiss_draft accepted',
  );
  const withdrawn = await world.marked('The keys are wrong');
  await world.draftOf(withdrawn);
  await control.unreact(withdrawn, 'memo', alice);
  await isAudited('Alice: start reaction withdrawn');
  const taken = await say('The scopes are wrong', { user: bob });
  await say(`${mention} Document the scopes`, { threadTs: taken.ts });
  await press('*Send this thread along?*', 'choose_messages');
  await world.formShows('Include these messages');
  await control.react(taken, 'memo', alice);
  await world.draftOf(taken);
  expect(await world.submit()).not.toBeNull();
  await isAudited('Alice: start reaction draft', 'Alice: refusal form thread_taken');

  await command('run review');
  await isAudited('Alice: start command open');
  for (const [text, refusal] of [
    ['run review', 'recipe_open'],
    ['run nothing', 'unknown_recipe'],
    ['watch job_1', 'no_such_job'],
    [`watch ${api.jobs[1]?.id}`, 'watched_already'],
  ] as const) {
    await command(text);
    await isAudited(`Alice: refusal command ${refusal}`);
  }
  const step = { request: 'Document release 2.1', channel: general };
  await control.runStep({ ...step, person: { id: alice, secret: 'hush' } });
  await isAudited('Alice: start workflow open');
  await command('settings', bob);
  await world.clock.advance(1_000);
  await command('settings');
  await fill('settings', { follow_up_mode: 'mentions' });
  await isAudited('Bob: refusal command no_administrator', 'Alice: setting settings saved');
  await press('Paused review', 'resume_recipe', bob);
  await world.clock.advance(1_000);
  await press('Paused review', 'resume_recipe');
  await isAudited('Bob: refusal button no_administrator', 'Alice: press resume_recipe too_late');

  for (const [source, ask] of [
    ['command', () => command('Explain it', guest)],
    ['message', () => say('Explain it', { user: guest, channel: guest })],
    ['message', async () => say('Explain it', { user: guest, threadTs: (await latest('Improve the')).ts })],
    ['shortcut', () => world.ask(scopes, guest)],
    ['reaction', () => world.marked('All is wrong', guest)],
    ['workflow', () => control.runStep({ ...step, channel: random, person: { id: guest, secret: 'hush' } })],
  ] as const) {
    await ask();
    await isAudited(`the guest: refusal ${source} guest`);
  }
  await world.settled(60_000);
  await isAudited();
});
