import { expect, test } from 'vitest';
import { emptyPlaces } from '../support/databases.ts';
import { activeAgentJob } from '../support/watched-jobs.ts';
import { createLoopsWorld } from './support/loops-world.ts';

const MINUTE_MS = 60_000;
const JOBS = 100;
const READS_PER_MINUTE = 240;
const IDEAL_MS = (JOBS / READS_PER_MINUTE) * MINUTE_MS;

/** A twentieth of a minute’s reads may go at once. */
const mostIn = (durationMs: number) => (READS_PER_MINUTE * (3_000 + durationMs)) / MINUTE_MS;

function countIn(times: readonly number[], durationMs: number): number {
  const counts = times.map((from) => times.filter((time) => time >= from && time < from + durationMs).length);
  return Math.max(0, ...counts);
}

for (const [index, emptyPlace] of emptyPlaces.entries()) {
  const [database, replicas] = index === 0 ? ['SQLite', 1] : ['Postgres', 4];
  test(`the reads of a project are shared out over all replicas, and no job is left out (${replicas} on ${database})`, {
    timeout: 300_000,
  }, async () => {
    const reads: { readonly atMs: number; readonly id: string }[] = [];
    const world = await createLoopsWorld({
      place: await emptyPlace(),
      replicas,
      readsPerMinute: READS_PER_MINUTE,
      outside: ({ clock }) => ({
        agent: {
          getJob: async (_, id) => {
            reads.push({ atMs: clock.now(), id });
            return { ...activeAgentJob, ...activeAgentJob.source, id };
          },
        },
      }),
    });
    for (let number = 0; number < JOBS; number += 1) await world.watch('docs', number);
    // All are due, and will be again before each had its turn.
    await world.clock.advance(10_000);
    world.start();
    await world.clock.advance(1.2 * IDEAL_MS);
    expect(new Set(reads.map(({ id }) => id)).size).toBe(JOBS);
    const times = reads.map(({ atMs }) => atMs);
    for (const durationMs of [1, 1_000, 5_000, 20_000])
      expect(countIn(times, durationMs)).toBeLessThanOrEqual(mostIn(durationMs));
  });
}
