import { expect, test } from 'vitest';
import type { Script } from '../../demo/agent-api/scripted-job.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { fc } from '../support/properties.ts';
import { share } from '../support/share.ts';
import { anyAgentFault, anySlackFault } from './support/any-fault.ts';
import { startModelWorld } from './support/model-world.ts';
import { People } from './support/people.ts';
import { act, heal } from './support/perform.ts';
import { quickenPauses } from './support/quick-pauses.ts';
import { HOUR_MS, MINUTE_MS, type PersonAction } from './support/steps.ts';
import type { Chance } from './support/troubles.ts';
import { judge } from './support/verdict.ts';

const SEED = 20_261_120;
const JOBS = 40;
const REPLIES = 120;
const FAULT_PERCENT = 5;
const WORKDAY_MS = 10 * HOUR_MS;

/** `howMany` values, the same ones every time. */
function sample<T>(arbitrary: fc.Arbitrary<T>, howMany: number, seed: number): T[] {
  return fc.sample(arbitrary, { numRuns: howMany, seed: SEED + seed });
}

/** What one of so many calls meets, again and again. */
function chance(): Chance {
  const every = <T>(arbitrary: fc.Arbitrary<T>, seed: number) => {
    const faults = sample(arbitrary, 100, seed);
    // Of integers and without bias, each is as likely as the other; most floating-point numbers are tiny.
    const dice = sample(fc.noBias(fc.nat(99)), 1_000, seed);
    let calls = 0;
    return () => {
      calls += 1;
      return (dice[calls % dice.length] ?? 0) < FAULT_PERCENT
        ? (faults[calls % faults.length] ?? null)
        : null;
    };
  };
  return { slack: every(anySlackFault, 1), agent: every(anyAgentFault, 2) };
}

/** Who does what, and when, in the order of time. */
function actions(): { readonly atMs: number; readonly action: PersonAction }[] {
  const times = (howMany: number, seed: number) =>
    sample(fc.integer({ min: 0, max: WORKDAY_MS }), howMany, seed);
  const picks = sample(fc.nat({ max: 1_000 }), 2 * REPLIES, 3);
  const pick = (index: number) => picks[index] ?? 0;
  const asks = times(JOBS, 4).map((atMs, index) => ({
    atMs: index === 0 ? 0 : atMs,
    action: { do: 'ask', by: 'command', channel: general, user: index % 2 === 0 ? bob : alice } as const,
  }));
  const replies = times(REPLIES, 5).map((atMs, index) => ({
    atMs,
    action: { do: 'reply', pick: pick(index), kind: 'words' } as const,
  }));
  const changes = times(REPLIES / 6, 6).map((atMs, index) => ({
    atMs,
    action: { do: index % 3 === 0 ? 'remove' : 'edit', pick: pick(REPLIES + index) } as const,
  }));
  return [...asks, ...replies, ...changes].sort((a, b) => a.atMs - b.atMs);
}

const turns = sample(
  fc.record({
    workMs: fc.integer({ min: MINUTE_MS, max: 30 * MINUTE_MS }),
    lagMs: fc.constantFrom(0, 5_000, 30_000),
    ending: fc.constantFrom('pull_request', 'pull_request', 'pull_request', 'no_change', 'failure'),
  }),
  200,
  7,
);

// It cannot be divided.
test.skipIf(share.number > 1)(
  `a day: ${JOBS} jobs, ${REPLIES} replies, faults, outages and restarts; nothing is lost or doubled`,
  {
    timeout: 900_000,
  },
  async () => {
    using _ = quickenPauses();
    let turn = 0;
    const script: Script = () => {
      turn += 1;
      const plan = turns[turn % turns.length] ?? { workMs: 0, ending: 'no_change' };
      return { ...plan, ...(turn % 3 === 0 ? { prLink: `https://example.com/pull/${turn}` } : {}) };
    };
    await using world = await startModelWorld({
      mode: 'http',
      script,
      settings: {
        POLL_MIN_INTERVAL: '30s',
        POLL_MAX_INTERVAL: '5m',
      },
    });
    const { troubles } = world;
    const people = new People(world);
    const startMs = world.time.now();
    const events: { readonly atMs: number; readonly happen: () => unknown }[] = [
      ...actions().map(({ atMs, action }) => ({ atMs, happen: () => act(people, action) })),
      { atMs: 2 * HOUR_MS, happen: () => world.replicas.stop(0) },
      { atMs: 2 * HOUR_MS + 5 * MINUTE_MS, happen: () => world.replicas.start() },
      { atMs: 3 * HOUR_MS, happen: world.agent.down },
      { atMs: 6 * HOUR_MS, happen: world.agent.up },
      { atMs: 7 * HOUR_MS, happen: () => setOutage('reset_before') },
      { atMs: 7 * HOUR_MS + 20 * MINUTE_MS, happen: () => setOutage(null) },
      { atMs: 8 * HOUR_MS, happen: () => world.replicas.stop(0) },
      { atMs: 8 * HOUR_MS + MINUTE_MS, happen: () => world.replicas.start() },
    ].sort((a, b) => a.atMs - b.atMs);
    const setOutage = (fault: 'reset_before' | null) => {
      troubles.slackOutage = fault;
    };

    await world.replicas.start();
    troubles.chance = chance();
    for (const { atMs, happen } of events) {
      await world.time.pass(startMs + atMs - world.time.now());
      await happen();
    }
    await world.time.pass(HOUR_MS);
    await heal(world, people);

    expect(await judge(world, people)).toEqual([]);
  },
);
