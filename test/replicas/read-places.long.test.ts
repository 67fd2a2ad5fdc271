import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentCalls, killHard } from '../crash/support/outside.ts';
import { alice, general } from '../support/local-slack.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';

const JOBS = 6;
const READS_PER_MINUTE = 120;
/** A lease, a second until somebody looks, and what the burst of the dead has used. */
const BOUND_MS = 26_000;
const WINDOW_MS = 10_000;

describeReplicas('a replica that is killed with places of the read budget in hand', (serverUrl) => {
  test('leaves the other one its full pace, and after its leases every job is read', async () => {
    await using world = await startReplicas(serverUrl, { AGENT_READS_PER_MINUTE: String(READS_PER_MINUTE) });
    const first = await world.start();
    for (let number = 0; number < JOBS; number += 1) {
      await world.slack.command({ channel: general, user: alice, text: `Document endpoint ${number}` });
    }
    await expect.poll(() => world.api.jobs.length, { message: 'the jobs' }).toBe(JOBS);
    // The agent answers no read any more: the first replica has them all in flight.
    const reads = world.api.jobs.map(({ id }) => `${agentCalls.create}/${id}`);
    const readsOf = (read: string) => world.agentProxy.calls(read).length;
    const all = () => reads.reduce((sum, read) => sum + readsOf(read), 0);
    for (const read of reads) world.agentProxy.fail(read, 'hang');
    const inFlight = () =>
      world.query(`select id from task where kind = 'check_job' and lease_token is not null`);
    await expect.poll(inFlight, { message: 'all reads to be in hand' }).toHaveLength(JOBS);
    await world.start();
    await killHard(first);
    await sleep(BOUND_MS);
    const before = new Map(reads.map((read) => [read, readsOf(read)]));
    const sum = all();
    await sleep(WINDOW_MS);
    const made = all() - sum;
    const fullPace = (READS_PER_MINUTE * WINDOW_MS) / 60_000;
    expect(made).toBeGreaterThanOrEqual(0.75 * fullPace);
    expect(reads.filter((read) => readsOf(read) === before.get(read))).toEqual([]);
  });
});
