import { describe, expect, test } from 'vitest';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MINUTE_MS = 60_000;
const PROMPT = 'Check the screenshots';

const file = (owners: string) =>
  [
    'projects: [{ id: acme-docs }]',
    `admins: [${alice}]`,
    'recipes:',
    `  - { name: weekly-review, channel: ${general}, request: ${PROMPT}, schedule: "* * * * *"${owners} }`,
  ].join('\n');

async function card(world: StrictWorld): Promise<SlackMessage> {
  const cards = async () =>
    (await world.slack.control.messages(general)).filter(({ text }) => text.includes(PROMPT));
  const [first] = await world.later(cards, ({ length }) => length > 0, 'the card');
  if (first === undefined) throw new Error('there is no card');
  return first;
}

describe.each([
  ['its owners', `, owners: [${bob}]`, bob, alice],
  ['the administrators, if it has no owners', '', alice, bob],
])('what goes wrong with a recipe is told to %s (T3)', (_whom, owners, told, other) => {
  test('that its start is unclear, which is in the way for an hour at most', async () => {
    await using world = await startStrictWorld({ configFile: file(owners) });
    world.api.failNext('create', { status: 500 });
    const first = await card(world);
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
    await using world = await startStrictWorld({ configFile: file(owners) });
    world.api.failNext('create', { status: 400 });
    const first = await card(world);
    expect((await world.threadMessage(first, 'Not accepted')).text).toContain(`<@${told}>`);
    for (const nth of [1, 2]) {
      const jobs = () => world.api.jobs.length;
      await world.later(jobs, (count) => count >= nth, `job ${nth}`);
      const cards = (await world.slack.control.messages(general)).filter(({ text }) => text.includes(PROMPT));
      world.api.finish(world.api.jobs[nth - 1]?.id ?? '', { status: 'failed', prLink: null });
      const failed = await world.threadMessage(cards[nth] ?? first, 'Failed.');
      expect(failed.text).toContain(`<@${told}>`);
    }
    const paused = await world.seen(general, ({ text }) => text.includes('*Paused weekly-review*'));
    expect(paused.text).toContain(`<@${told}>`);
    expect(paused.text).not.toContain(`<@${other}>`);
  });
});
