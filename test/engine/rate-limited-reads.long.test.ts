import { expect, test } from 'vitest';
import { AgentError } from '../../src/agent/client.ts';
import { emptyPlaces } from '../support/databases.ts';
import { activeAgentJob } from '../support/watched-jobs.ts';
import { createLoopsWorld } from './support/loops-world.ts';

const MINUTE_MS = 60_000;
const JOBS = 20;
const READS_PER_MINUTE = 60;

const rejected = new AgentError({
  outcome: 'definite',
  reason: 'rate_limited',
  status: 429,
  message: 'slow down',
  retryAfterMs: null,
});

for (const [index, emptyPlace] of emptyPlaces.entries()) {
  const [database, replicas] = index === 0 ? ['SQLite', 1] : ['Postgres', 3];
  test(`a rejected read halves the reads of its project on all replicas, which recover within ten minutes, and spares other projects (${replicas} on ${database})`, {
    timeout: 300_000,
  }, async () => {
    const reads: { readonly atMs: number; readonly projectId: string }[] = [];
    let isRejected = false;
    const world = await createLoopsWorld({
      place: await emptyPlace(),
      replicas,
      readsPerMinute: READS_PER_MINUTE,
      outside: ({ clock }) => ({
        agent: {
          getJob: async (projectId, id) => {
            reads.push({ atMs: clock.now(), projectId });
            if (isRejected && projectId === 'docs') {
              isRejected = false;
              throw rejected;
            }
            return { ...activeAgentJob, ...activeAgentJob.source, id };
          },
        },
      }),
    });
    for (let number = 0; number < JOBS; number += 1) {
      await world.watch('docs', number);
      await world.watch('handbook', JOBS + number);
    }
    world.start();
    const inAMinute = async () => {
      const fromMs = world.clock.now();
      await world.clock.advance(MINUTE_MS);
      const count = (project: string) =>
        reads.filter(
          ({ atMs, projectId }) => projectId === project && atMs >= fromMs && atMs < fromMs + MINUTE_MS,
        ).length;
      return { docs: count('docs'), handbook: count('handbook') };
    };
    const whole = await inAMinute();
    expect(whole.docs).toBeLessThanOrEqual(READS_PER_MINUTE);
    isRejected = true;
    await world.clock.advance(2_000);
    const slow = await inAMinute();
    expect(slow.docs).toBeGreaterThan(0.4 * whole.docs);
    expect(slow.docs).toBeLessThan(0.65 * whole.docs);
    expect(slow.handbook).toBeGreaterThan(0.9 * whole.handbook);
    world.clock.freeze(4 * MINUTE_MS);
    const better = await inAMinute();
    expect(better.docs).toBeGreaterThan(slow.docs);
    expect(better.docs).toBeLessThan(0.95 * whole.docs);
    world.clock.freeze(4 * MINUTE_MS);
    const recovered = await inAMinute();
    expect(recovered.docs).toBeGreaterThan(0.9 * whole.docs);
    expect(recovered.docs).toBeLessThanOrEqual(READS_PER_MINUTE);
  });
}
