import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { saying } from './support/posts.ts';
import { startStrictWorld } from './support/strict-world.ts';

const SELDOM_MS = 10 * 60_000;
const DAY_MS = 86_400_000;

test('a job that has long been over is deleted; its buttons and its thread say so, and nothing is done twice', async () => {
  await using world = await startStrictWorld({ settings: { RETENTION: '90d' } });
  const { api, clock, slack } = world;
  const card = await world.working('Explain the webhooks');
  const [job] = api.jobs;
  if (job === undefined) throw new Error('there is no agent job');
  api.finish(job.id, { status: 'completed' });
  const offer = await world.threadMessage(card, 'Done, no pull request');
  const open = await world.working('Explain the limits');
  await world.settled();

  const tidied = () =>
    world.log.map((line) => JSON.parse(line)).filter(({ event }) => event === 'retention_job_ran');
  const afterDays = async (days: number) => {
    const before = tidied().length;
    await world.service.stop();
    await clock.advance(days * DAY_MS);
    await world.restart();
    await clock.advance(60_000);
    return world.later(tidied, (all) => all.length > before, 'the store to be tidied');
  };
  expect((await afterDays(89)).at(-1)).toMatchObject({ jobs: 0 });
  expect((await afterDays(2)).at(-1)).toMatchObject({ outcome: 'done', jobs: 1 });
  // That the thread was one of a job is known longer than until the store is tidied again.
  expect((await afterDays(1)).at(-1)).toMatchObject({ outcome: 'done' });

  await slack.control.press(offer, 'follow_up', alice);
  await world.sentPrivately(general, 'this job is no longer stored');
  await slack.control.reply(card, 'And the retries');
  await slack.control.reply(card, 'Anybody?');
  await world.sentPrivately(general, 'I no longer follow this thread');
  await world.settled();
  const ephemerals = saying(await slack.control.messages(general), 'I no longer follow this thread');
  expect(ephemerals).toHaveLength(1);
  expect(world.prompts()).toEqual([['Explain the webhooks'], ['Explain the limits']]);

  // What is open is watched as ever.
  const [, still] = api.jobs;
  if (still === undefined) throw new Error('there is no second job');
  api.finish(still.id, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/1' });
  // Nobody has answered the question whether to keep watching: it is looked at seldom.
  await clock.advance(SELDOM_MS);
  await world.threadMessage(open, '🎉');
});
