import { describe, expect, test } from 'vitest';
import { present } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PR = 'https://github.com/acme/docs/pull/1';

const file = (schedule: string, more = '') =>
  [
    'projects: [{ id: acme-docs }]',
    `admins: [${alice}]`,
    'recipes:',
    `  - { name: weekly-review, channel: ${general}, request: "Check the screenshots of {page}", values: { page: quickstart }, schedule: "${schedule}", zone: Europe/Berlin${more} }`,
  ].join('\n');
const EVERY_MINUTE = file('* * * * *');
const MONDAYS = file('0 9 * * 1');
const PROMPT = 'Check the screenshots of "quickstart"';

async function start(configFile = EVERY_MINUTE) {
  const world = await startStrictWorld({ configFile });
  const { control } = world.slack;
  const messages = async (words: string, channel = general) =>
    (await control.messages(channel)).filter(({ text }) => text.includes(words));
  const soon = async (words: string, channel = general): Promise<SlackMessage> => {
    const found = await world.later(async () => (await messages(words, channel))[0], present, words);
    if (found === undefined) throw new Error(words);
    return found;
  };
  return Object.assign(world, {
    messages,
    soon,
    /** The job that is the nth to start, when it has ended; with the message that says so. */
    ends: async (nth: number, status: 'failed' | 'completed', prLink: string | null = null) => {
      await world.later(() => world.api.jobs.length >= nth, true, `job ${nth}`);
      const cards = await messages('Check the screenshots');
      const card = cards.at(nth - 1 - world.api.jobs.length);
      if (card === undefined) throw new Error(`there is no job ${nth}`);
      world.api.finish(nth - 1, { status, prLink });
      const words = status === 'failed' ? 'Failed.' : prLink === null ? 'Done' : 'Pull request ready';
      return { card, end: await world.threadMessage(card, words) };
    },
    /** The program is down for so many days, and has other settings then. */
    away: async (days: number, changed?: string) => {
      await world.service.stop();
      await world.clock.advance(days * DAY_MS);
      await world.restart(changed);
    },
  });
}

describe('a recipe with a schedule (T3)', () => {
  test('starts by itself when its moment comes, is skipped while its last job is open, and goes on when it is removed', async () => {
    await using world = await start();
    expect(world.prompts()).toEqual([]);
    const card = await world.soon('Check the screenshots');
    expect(card.text).toContain('recipe weekly-review');
    await world.threadMessage(card, '*Skipped weekly-review:* its last job is still open.');
    await world.clock.advance(5 * MINUTE_MS);
    expect((await world.thread(card)).filter(({ text }) => text.includes('Skipped'))).toHaveLength(1);
    expect(world.prompts()).toEqual([[PROMPT]]);
    const { end } = await world.ends(1, 'completed', PR);
    expect(end.text).not.toContain('<@');
    await world.later(() => world.api.jobs.length, 2, 'the next one');
    await world.restart('projects: [{ id: acme-docs }]');
    await world.ends(2, 'completed', PR.replace('1', '2'));
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.prompts()).toHaveLength(2);
  });

  test('begins with its next moment when it is new, or its schedule is; a downtime is caught up with once', async () => {
    await using world = await start(file('0 9 1 1 *'));
    await world.away(14, MONDAYS);
    await world.settled();
    expect(world.prompts()).toEqual([]);
    await world.away(14);
    await world.started(PROMPT);
    await world.restart();
    await world.settled();
    expect(world.prompts()).toHaveLength(1);
  });

  test('is paused after three failures in a row, which its channel is told once; administrators resume it', async () => {
    await using world = await start();
    for (const nth of [1, 2]) await world.ends(nth, 'failed');
    await world.ends(3, 'completed');
    for (const nth of [4, 5, 6]) await world.ends(nth, 'failed');
    const paused = await world.soon('after three failures in a row');
    expect(paused.thread_ts).toBeUndefined();
    await world.clock.advance(5 * MINUTE_MS);
    expect(await world.messages('Paused')).toHaveLength(1);
    expect(world.prompts()).toHaveLength(6);
    await world.slack.control.press(paused, 'resume_recipe', bob);
    await world.sentPrivately(general, 'Only administrators');
    await world.slack.control.press(paused, 'resume_recipe', alice);
    await world.seen(general, ({ text }) => /\*Resumed by \w+\.\* weekly-review runs again/.test(text));
    expect(await world.messages('Paused')).toEqual([]);
    await world.later(() => world.api.jobs.length, 7, 'the next one');
  });

  test('goes on if its channel cannot be told of the pause, since nobody could resume it', async () => {
    await using world = await start();
    world.slack.control.remove(general, 'U0DOCSAGENT');
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.prompts()).toEqual([]);
    world.slack.control.invite(general, 'U0DOCSAGENT');
    await world.clock.advance(2 * MINUTE_MS);
    await world.started(PROMPT);
  });

  test('with `draft: true` is proposed; whoever starts it reads privately if its card cannot be posted, and it starts then', async () => {
    await using world = await start(file('* * * * *', ', draft: true'));
    const proposed = await world.soon('*Draft*');
    expect(proposed.text).toContain('from recipe *weekly-review*');
    world.slack.control.remove(general, 'U0DOCSAGENT');
    await world.slack.control.press(proposed, 'start_draft', bob);
    expect((await world.soon('/invite', bob)).text).toContain('starts by itself');
    expect(world.prompts()).toEqual([]);
    world.slack.control.invite(general, 'U0DOCSAGENT');
    await world.started(PROMPT);
  });
});

test.each([
  ['its owners', `, owners: [${bob}]`, bob, alice],
  ['the administrators, if it has no owners', '', alice, bob],
])(
  'what goes wrong with a recipe is told to %s: refused, failed, paused, or unclear, which is in the way for an hour at most (T3)',
  async (_whom, owners, told, other) => {
    await using world = await start(file('* * * * *', owners));
    const expectTold = ({ text }: SlackMessage) => {
      expect(text).toContain(`<@${told}>`);
      expect(text).not.toContain(`<@${other}>`);
    };
    world.api.failNext('create', { status: 500 }, { status: 400 });
    const first = await world.soon('Check the screenshots');
    expectTold(await world.threadMessage(first, "Couldn't confirm the start"));
    const creates = world.api.counts.create;
    await world.threadMessage(first, 'Skipped weekly-review');
    world.clock.freeze(55 * MINUTE_MS);
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.api.counts.create).toBe(creates);
    world.clock.freeze(5 * MINUTE_MS);
    await world.later(() => world.api.counts.create, creates + 1, 'the next start');
    const refused = (await world.messages('Check the screenshots'))[1];
    if (refused === undefined) throw new Error('there is no second card');
    expectTold(await world.threadMessage(refused, 'Not accepted'));
    expectTold((await world.ends(1, 'failed')).end);
    expectTold(await world.soon('*Paused weekly-review*'));
  },
);
