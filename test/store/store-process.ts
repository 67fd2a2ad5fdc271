import { openStore } from '../../src/store/open.ts';

// A process of its own, to be killed: holds the store of the directory that is its argument, claims a task
// for ever, and then prints the number of each request once it is committed.
const [, , dataDir = ''] = process.argv;
const store = await openStore({ dataDir });
await store.transaction(async (tx) => {
  const task = { kind: 'check_job', subject: 'job-1', runAtMs: 1, ifScheduled: 'keep' } as const;
  await tx.tasks.schedule(task);
  const lease = { leaseNowMs: 1, leaseUntilMs: Number.MAX_SAFE_INTEGER, inFlight: [] };
  await tx.tasks.claim({ kinds: ['check_job'], nowMs: 1, ...lease, limit: 1 });
});
for (let number = 1; ; number += 1) {
  await store.transaction((tx) => tx.inboundRequests.remember([`event:${number}`], 1));
  await new Promise((written) => process.stdout.write(`${number}\n`, written));
}
