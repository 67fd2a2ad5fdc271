import { describe, expect, test } from 'vitest';
import { present } from '../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const file = (schedule: string, more = '') =>
  [
    'projects: [{ id: acme-docs }]',
    `admins: [${alice}]`,
    'recipes:',
    `  - { name: weekly-review, channel: ${general}, request: "Check the screenshots of {page}", values: { page: quickstart }, schedule: "${schedule}", zone: Europe/Berlin }`,
    more,
  ].join('\n');
const EVERY_MINUTE = file('* * * * *');
const AS_A_DRAFT = EVERY_MINUTE.replace('values:', 'draft: true, values:');
const MONDAYS = file('0 9 * * 1');
const PROMPT = 'Check the screenshots of "quickstart"';

const cardsIn = async (world: StrictWorld) =>
  (await world.slack.control.messages(general)).filter(({ text }) => text.includes('Check the screenshots'));
const started = (world: StrictWorld) => world.prompts().length;

/** The job that is the nth to start. */
async function job(world: StrictWorld, nth: number): Promise<{ id: string; card: SlackMessage }> {
  const all = await world.later(
    async () => [...world.api.jobs],
    ({ length }) => length >= nth,
    `job ${nth}`,
  );
  const card = (await cardsIn(world))[nth - 1];
  const id = all[nth - 1]?.id;
  if (card === undefined || id === undefined) throw new Error(`there is no job ${nth}`);
  return { id, card };
}

async function draftIn(world: StrictWorld): Promise<SlackMessage> {
  const draft = await world.later(
    async () => (await world.slack.control.messages(general)).find(({ text }) => text.includes('*Draft*')),
    present,
    'the draft',
  );
  if (draft === undefined) throw new Error('there is no draft');
  return draft;
}

async function fails(world: StrictWorld, nth: number): Promise<void> {
  const { id, card } = await job(world, nth);
  world.api.finish(id, { status: 'failed', prLink: null });
  await world.threadMessage(card, 'Failed.');
}

describe('a recipe with a schedule (T3)', () => {
  test('starts by itself when its moment comes, in the words of its settings, and mentions nobody', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    expect(started(world)).toBe(0);
    const { id, card } = await job(world, 1);
    expect(world.prompts()).toEqual([[PROMPT]]);
    expect(card.text).toContain('recipe weekly-review');
    world.api.finish(id, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
    const end = await world.threadMessage(card, 'Pull request ready');
    expect(end.text).not.toContain('<@');
  });

  test('after two weeks of downtime catches up with the last moment alone, and a restart adds none', async () => {
    await using world = await startStrictWorld({ configFile: MONDAYS });
    await world.service.stop();
    await world.clock.advance(14 * DAY_MS);
    await world.restart();
    await world.started(PROMPT);
    await world.restart();
    await world.settled();
    expect(started(world)).toBe(1);
  });

  test('begins with its next moment when it is new, or its schedule is', async () => {
    await using world = await startStrictWorld({ configFile: file('0 9 1 1 *') });
    await world.service.stop();
    await world.clock.advance(14 * DAY_MS);
    await world.restart(MONDAYS);
    await world.settled();
    expect(started(world)).toBe(0);
    await world.service.stop();
    await world.clock.advance(7 * DAY_MS);
    await world.restart();
    await world.started(PROMPT);
  });

  test('is skipped while its last job is open, which the thread of that job is told once', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    const { id, card } = await job(world, 1);
    await world.threadMessage(card, '*Skipped weekly-review:* its last job is still open.');
    await world.clock.advance(5 * MINUTE_MS);
    const thread = await world.slack.control.thread(card.channel, card.ts);
    expect(thread.filter(({ text }) => text.includes('Skipped'))).toHaveLength(1);
    expect(started(world)).toBe(1);
    world.api.finish(id, { status: 'completed', prLink: null });
    await world.threadMessage(card, 'Done');
    await job(world, 2);
  });

  test('goes on with its job when it is removed from the settings, and starts no other', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    const { id, card } = await job(world, 1);
    await world.restart('projects: [{ id: acme-docs }]');
    world.api.finish(id, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
    await world.threadMessage(card, 'Pull request ready');
    await world.clock.advance(5 * MINUTE_MS);
    expect(started(world)).toBe(1);
  });

  test('is paused after three failures in a row, which its channel is told once; administrators resume it', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    for (const nth of [1, 2, 3]) await fails(world, nth);
    const told = () =>
      world.slack.control.messages(general).then((all) => all.filter(({ text }) => text.includes('Paused')));
    await expect.poll(told).toHaveLength(1);
    const [paused] = await told();
    if (paused === undefined) throw new Error('nobody was told');
    expect(paused).toMatchObject({ text: expect.stringContaining('after three failures in a row') });
    expect(paused.thread_ts).toBeUndefined();
    await world.clock.advance(5 * MINUTE_MS);
    expect(started(world)).toBe(3);

    await world.slack.control.press(paused, 'resume_recipe', bob);
    await world.sentPrivately(general, 'Only administrators');
    await world.slack.control.press(paused, 'resume_recipe', alice);
    await world.seen(general, ({ text }) => /\*Resumed by \w+\.\* weekly-review runs again/.test(text));
    expect(await told()).toEqual([]);
    await job(world, 4);
  });

  test('goes on if its channel cannot be told of the pause, since nobody could resume it', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    world.slack.control.remove(general, 'U0DOCSAGENT');
    await world.clock.advance(10 * MINUTE_MS);
    expect(started(world)).toBe(0);
    world.slack.control.invite(general, 'U0DOCSAGENT');
    await world.clock.advance(2 * MINUTE_MS);
    await world.started(PROMPT);
  });

  test('is not paused when a success comes in between, or one failed job fails again', async () => {
    await using world = await startStrictWorld({ configFile: EVERY_MINUTE });
    await fails(world, 1);
    await fails(world, 2);
    const good = await job(world, 3);
    world.api.finish(good.id, { status: 'completed', prLink: null });
    await world.threadMessage(good.card, 'Done');
    await fails(world, 4);
    await fails(world, 5);
    await job(world, 6);
  });

  test('with `draft: true` is proposed in its channel, and nothing goes to the agent before a person starts it', async () => {
    await using world = await startStrictWorld({ configFile: AS_A_DRAFT });
    const proposed = await draftIn(world);
    expect(proposed.text).toContain('from recipe *weekly-review*');
    expect(started(world)).toBe(0);
    await world.slack.control.press(proposed, 'start_draft', alice);
    await world.started(PROMPT);
  });

  test('with `draft: true` tells whoever starts it, privately, that its card cannot be posted, and starts then', async () => {
    await using world = await startStrictWorld({ configFile: AS_A_DRAFT });
    const proposed = await draftIn(world);
    world.slack.control.remove(general, 'U0DOCSAGENT');
    await world.slack.control.press(proposed, 'start_draft', bob);
    const told = await world.later(
      async () => (await world.slack.control.messages(bob)).find(({ text }) => text.includes('/invite')),
      present,
      'the private message',
    );
    expect(started(world)).toBe(0);
    expect(told?.text).toContain('starts by itself');
    world.slack.control.invite(general, 'U0DOCSAGENT');
    await world.started(PROMPT);
  });
});

describe.each([
  ['its owners', `, owners: [${bob}]`, bob, alice],
  ['the administrators, if it has no owners', '', alice, bob],
])('what goes wrong with a recipe is told to %s (T3)', (_whom, owners, told, other) => {
  test('that its start is unclear, which is in the way for an hour at most', async () => {
    await using world = await startStrictWorld({
      configFile: EVERY_MINUTE.replace(', schedule', `${owners}, schedule`),
    });
    world.api.failNext('create', { status: 500 });
    const first = await world.later(async () => (await cardsIn(world))[0], present, 'the card');
    const { text } = await world.threadMessage(first, "Couldn't confirm the start");
    expect(text).toContain(`<@${told}>`);
    expect(text).not.toContain(`<@${other}>`);
    const creates = world.api.counts.create;
    await world.threadMessage(first, 'Skipped weekly-review');
    world.clock.freeze(55 * MINUTE_MS);
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.api.counts.create).toBe(creates);
    world.clock.freeze(5 * MINUTE_MS);
    await world.clock.advance(2 * MINUTE_MS);
    await world.started(PROMPT);
  });

  test('that it was refused, has failed, and is paused', async () => {
    await using world = await startStrictWorld({
      configFile: EVERY_MINUTE.replace(', schedule', `${owners}, schedule`),
    });
    world.api.failNext('create', { status: 400 });
    const first = await world.later(async () => (await cardsIn(world))[0], present, 'the card');
    expect((await world.threadMessage(first, 'Not accepted')).text).toContain(`<@${told}>`);
    for (const nth of [1, 2]) {
      const jobs = () => world.api.jobs.length;
      await world.later(jobs, (count) => count >= nth, `job ${nth}`);
      const cards = await cardsIn(world);
      world.api.finish(world.api.jobs[nth - 1]?.id ?? '', { status: 'failed', prLink: null });
      const failed = await world.threadMessage(cards[nth] ?? first, 'Failed.');
      expect(failed.text).toContain(`<@${told}>`);
    }
    const paused = await world.seen(general, ({ text }) => text.includes('*Paused weekly-review*'));
    expect(paused.text).toContain(`<@${told}>`);
    expect(paused.text).not.toContain(`<@${other}>`);
  });
});
