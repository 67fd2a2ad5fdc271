import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/jobs/event.ts';
import { anAgentJob } from '../jobs/support/builders.ts';
import { emptyPlaces } from '../support/databases.ts';
import { activeAgentJob } from '../support/watched-jobs.ts';
import { createLoopsWorld } from './support/loops-world.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const [emptyPlace] = emptyPlaces;
if (emptyPlace === undefined) throw new Error('SQLite is always there');

test.each([
  ['channel', () => ({ teamId: 'T1', channelId: 'C-SLOW' })],
  ['workspace', (number: number) => ({ teamId: 'T-SLOW', channelId: `C-SLOW-${number}` })],
])('a %s that does not answer holds up no other', async (_what, slow) => {
  const posted: string[] = [];
  const world = await createLoopsWorld({
    place: await emptyPlace(),
    replicas: 1,
    outside: ({ hang }) => ({
      agent: {},
      post: async ({ channelId }) => {
        if (channelId.startsWith('C-SLOW')) return hang();
        posted.push(channelId);
        return `${posted.length}.000000`;
      },
    }),
  });
  for (const number of range(200)) await world.open(slow(number));
  await world.clock.advance(1);
  for (const number of range(30)) await world.open({ teamId: 'T1', channelId: `C${number}` });
  world.start();
  await world.clock.advance(2_000);
  expect(new Set(posted).size).toBe(30);
});

test('a project whose reads hang does not slow the reads of another', async () => {
  const readsWith = async (slowJobs: number) => {
    let reads = 0;
    const world = await createLoopsWorld({
      place: await emptyPlace(),
      replicas: 1,
      outside: ({ hang }) => ({
        agent: {
          getJob: async (projectId, id) => {
            if (projectId === 'slow') return hang();
            reads += 1;
            return { ...activeAgentJob, ...activeAgentJob.source, id };
          },
        },
      }),
    });
    for (const number of range(slowJobs)) await world.watch('slow', number);
    await world.clock.advance(1);
    for (const number of range(10)) await world.watch('docs', 1_000 + number);
    world.start();
    await world.clock.advance(60_000);
    return reads;
  };
  const alone = await readsWith(0);
  expect(alone).toBeGreaterThanOrEqual(20);
  expect(await readsWith(300)).toBe(alone);
});

test('a project whose starts hang holds up no starts of another', async () => {
  const created: string[] = [];
  const world = await createLoopsWorld({
    place: await emptyPlace(),
    replicas: 1,
    outside: ({ hang }) => ({
      agent: {
        createJob: async (projectId, prompt) => {
          if (projectId === 'slow') return hang();
          created.push(prompt);
          return anAgentJob({ id: `agent-${created.length}` });
        },
        getJob: async (_, id) => anAgentJob({ id }),
      },
    }),
  });
  const posted = (number: number): JobEvent[] => [{ type: 'card_posted', ts: `${number}.000000` }];
  for (const number of range(100))
    await world.open({ projectId: 'slow', channelId: `C${number}` }, posted(number));
  await world.clock.advance(1);
  for (const number of range(30))
    await world.open({ projectId: 'docs', channelId: `D${number}` }, posted(1_000 + number));
  world.start();
  await world.clock.advance(2_000);
  expect(created).toHaveLength(30);
});
