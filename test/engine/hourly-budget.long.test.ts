import { expect, test } from 'vitest';
import { anAgentJob } from '../jobs/support/builders.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { createBudgetWorld } from './support/budget-world.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const BUDGET = 10;
/** A tenth is kept for follow-ups. */
const FOR_STARTS = 9;

describeOnDatabases('the hourly budget', (makeEmpty) => {
  // On a busy machine, a locked row of Postgres puts one of many calls off; each of them is tried within a minute.
  for (const [when, pauseMs, togetherMs] of [
    ['one after the other', 10_000, 5_000],
    ['at the same time', 0, 2 * MINUTE_MS],
  ] as const) {
    test(`fifty requests that come ${when} go out in their order, each when a place is free, and their cards are edited a few times (F2)`, async () => {
      const world = await createBudgetWorld(await makeEmpty(), BUDGET);
      const askedAtMs: number[] = [];
      const startMs = world.clock.now();
      for (let number = 0; number < 50; number += 1) {
        askedAtMs.push(world.clock.now());
        await world.ask(`Request ${number}`);
        if (pauseMs > 0) await world.workUntil(world.clock.now() + pauseMs);
      }
      await world.workUntil(world.clock.now() + 6 * HOUR_MS);
      // Those that have their places at the same time go out at the same time.
      const sent = world.sent.map(({ prompt, atMs }) => ({ number: Number(prompt.slice(8)), atMs }));
      const groupOf = (atMs: number) => Math.floor((atMs - startMs) / togetherMs);
      sent.sort((a, b) => groupOf(a.atMs) - groupOf(b.atMs) || a.number - b.number);
      expect(sent.map(({ number }) => number)).toEqual([...askedAtMs.keys()]);
      // Whoever of them has it, each place is given again after an hour.
      const times = sent.map(({ atMs }) => atMs).toSorted((a, b) => a - b);
      for (const [index, atMs] of times.entries()) {
        const givenAtMs = times[index - FOR_STARTS];
        const dueMs = givenAtMs === undefined ? (askedAtMs[index] ?? 0) : givenAtMs + HOUR_MS;
        expect(atMs).toBeGreaterThanOrEqual(dueMs);
        expect(atMs).toBeLessThan(dueMs + togetherMs);
      }
      expect(Math.max(...world.edits.values())).toBeLessThanOrEqual(4);
    });
  }

  test('follow-ups have a share of their own, and keep their order, too (F2)', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    const startMs = world.clock.now();
    const jobs: string[] = [];
    for (let number = 0; number < FOR_STARTS; number += 1) {
      jobs.push(await world.ask(`Start ${number}`));
      await world.workUntil(world.clock.now() + MINUTE_MS);
    }
    await world.ask('Late start 1');
    await world.ask('Late start 2');
    for (const [index, jobId] of jobs.slice(0, 5).entries()) {
      await world.reply(jobId, `Reply ${index}`);
      await world.workUntil(world.clock.now() + MINUTE_MS);
    }
    expect(world.sent.slice(FOR_STARTS).map(({ prompt }) => prompt)).toEqual(['Reply 0']);
    await world.workUntil(startMs + 3 * HOUR_MS);
    const later = world.sent
      .slice(FOR_STARTS + 1)
      .map(({ prompt, atMs }) => [prompt, (atMs - startMs) / MINUTE_MS]);
    expect(later).toEqual([
      ['Reply 1', 60],
      ['Reply 2', 61],
      ['Reply 3', 62],
      ['Reply 4', 63],
      ['Late start 1', 65],
      ['Late start 2', 66],
    ]);
  });

  test('a reply that is withdrawn while it waits holds nothing up', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    const startMs = world.clock.now();
    const jobs: string[] = [];
    for (let number = 0; number < FOR_STARTS; number += 1) jobs.push(await world.ask(`Start ${number}`));
    await world.workUntil(startMs + MINUTE_MS);
    for (const [index, jobId] of jobs.slice(0, 3).entries()) {
      await world.reply(jobId, `Reply ${index}`);
      await world.workUntil(world.clock.now() + MINUTE_MS);
    }
    await world.happen(jobs[1] ?? '', { type: 'reply_deleted', messageTs: `${FOR_STARTS}.Reply 1` });
    await world.ask('Late start');
    await world.workUntil(startMs + 2 * HOUR_MS);
    const later = world.sent.slice(FOR_STARTS).map(({ prompt, atMs }) => [prompt, atMs - startMs]);
    expect(later.toSorted()).toEqual([
      ['Late start', HOUR_MS],
      ['Reply 0', MINUTE_MS + 4_000],
      ['Reply 2', HOUR_MS],
    ]);
  });

  test('when the budget is raised, those that wait go within a minute, in their order', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    for (let number = 0; number < 40; number += 1) {
      await world.ask(`Request ${number}`);
      await world.workUntil(world.clock.now() + 1_000);
    }
    expect(world.sent).toHaveLength(FOR_STARTS);
    const raisedAtMs = world.clock.now();
    world.setBudget(100);
    await world.workUntil(raisedAtMs + MINUTE_MS);
    expect(world.sent.map(({ prompt }) => Number(prompt.slice(8)))).toEqual([...Array(40).keys()]);
  });

  for (const [what, budget] of [
    ['to less than is used', 4],
    ['to one', 1],
  ] as const) {
    test(`when the budget is lowered ${what}, those that wait go later, once each, in their order`, async () => {
      const world = await createBudgetWorld(await makeEmpty(), BUDGET);
      for (let number = 0; number < 14; number += 1) {
        await world.ask(`Request ${number}`);
        await world.workUntil(world.clock.now() + MINUTE_MS);
      }
      expect(world.sent).toHaveLength(FOR_STARTS);
      world.setBudget(budget);
      await world.workUntil(world.clock.now() + (2 + 5 / budget) * HOUR_MS);
      expect(world.sent.map(({ prompt }) => Number(prompt.slice(8)))).toEqual([...Array(14).keys()]);
      for (const [index, { atMs }] of world.sent.entries()) {
        const before = world.sent[index - budget];
        if (index >= FOR_STARTS) expect(atMs).toBe((before?.atMs ?? 0) + HOUR_MS);
      }
    });
  }

  test('requests that wait for an agent that is away try again at their own pace, and do not wake each other (E1)', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    world.setAway(true);
    for (const number of [1, 2, 3]) await world.ask(`Request ${number}`);
    await world.workUntil(world.clock.now() + 10 * MINUTE_MS);
    // After 5, 10, 20 and 40 seconds, and then once a minute.
    expect(world.tries.length).toBeLessThanOrEqual(3 * 20);
    world.setAway(false);
    await world.workUntil(world.clock.now() + MINUTE_MS);
    expect(world.sent.map(({ prompt }) => prompt).toSorted()).toEqual([
      'Request 1',
      'Request 2',
      'Request 3',
    ]);
  });

  test('a place that a withdrawn reply gives up is used within a minute', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    const startMs = world.clock.now();
    const jobs = [await world.ask('Start 0')];
    await world.workUntil(startMs + 10 * MINUTE_MS);
    jobs.push(await world.ask('Start 1'));
    await world.workUntil(startMs + 20 * MINUTE_MS);
    for (let number = 2; number < FOR_STARTS; number += 1) jobs.push(await world.ask(`Start ${number}`));
    await world.workUntil(startMs + 21 * MINUTE_MS);
    for (const [index, jobId] of jobs.slice(0, 2).entries()) {
      await world.reply(jobId, `Reply ${index}`);
      await world.workUntil(world.clock.now() + MINUTE_MS);
    }
    await world.ask('Late start');
    await world.workUntil(startMs + 30 * MINUTE_MS);
    await world.happen(jobs[1] ?? '', { type: 'reply_deleted', messageTs: `${FOR_STARTS}.Reply 1` });
    await world.workUntil(startMs + 3 * HOUR_MS);
    const late = world.sent.find(({ prompt }) => prompt === 'Late start');
    // An hour after Start 1, and no longer after Start 2.
    const waitedMs = (late?.atMs ?? 0) - startMs;
    expect(waitedMs).toBeGreaterThanOrEqual(70 * MINUTE_MS);
    expect(waitedMs).toBeLessThanOrEqual(71 * MINUTE_MS);
  });

  test('a start that its job does not wait for any more is not made, and holds up nothing', async () => {
    const world = await createBudgetWorld(await makeEmpty(), BUDGET);
    for (let number = 0; number < FOR_STARTS; number += 1) await world.ask(`Start ${number}`);
    await world.workUntil(world.clock.now() + MINUTE_MS);
    const late = await world.ask('Late start');
    await world.workUntil(world.clock.now() + MINUTE_MS);
    await world.store.transaction(async (tx) => {
      const job = await tx.jobs.get(late);
      if (job === null) throw new Error('the job is not there');
      const stage = { kind: 'working', turnStartedAtMs: world.clock.now(), settle: null } as const;
      await tx.jobs.put({ ...job, stage, agentJob: anAgentJob({ id: 'agent-late' }) });
    });
    await world.workUntil(world.clock.now() + 3 * HOUR_MS);
    expect(world.sent.map(({ prompt }) => prompt)).not.toContain('Late start');
    const waiting = await world.store.transaction((tx) => tx.budgetQueue.waiting('docs'));
    expect(waiting).toEqual([]);
  });
});
