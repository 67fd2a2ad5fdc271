import { alice, bob, general } from '../../support/local-slack.ts';
import { fc } from '../../support/properties.ts';
import { anyAgentFault, anySlackFault } from '../support/any-fault.ts';
import { act } from '../support/perform.ts';
import { smallScene } from '../support/scene.ts';
import { HOUR_MS, MINUTE_MS, type PersonAction } from '../support/steps.ts';
import type { Chance } from '../support/troubles.ts';
import { type Day, WORKDAY_MS } from './day.ts';

const SEED = 20_261_120;
const JOBS = 40;
const REPLIES = 120;
const FAULT_PERCENT = 5;

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

/** Who does what, and when. */
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
  return [...asks, ...replies, ...changes];
}

const turns = sample(
  fc.record({
    workMs: fc.integer({ min: MINUTE_MS, max: 30 * MINUTE_MS }),
    lagMs: fc.constantFrom(0, 5_000, 30_000),
    ending: fc.constantFrom('pull_request', 'pull_request', 'pull_request', 'no_change', 'failure'),
  }),
  200,
  7,
).map((turn, index) => ({ ...turn, isNewLink: index % 3 === 0 }));

/** Two people in one channel; whatever can go wrong does, again and again. */
export function smallDay(): Day {
  return {
    scene: smallScene,
    populate: () => {},
    settings: { POLL_MIN_INTERVAL: '30s', POLL_MAX_INTERVAL: '5m' },
    projects: [],
    hasLimits: false,
    stepMs: 0,
    turns,
    chance: chance(),
    troubles: [
      { of: 'deploy', fromMs: 2 * HOUR_MS, toMs: 2 * HOUR_MS + 5 * MINUTE_MS },
      { of: 'agent', fromMs: 3 * HOUR_MS, toMs: 6 * HOUR_MS },
      { of: 'slack', fault: 'reset_before', fromMs: 7 * HOUR_MS, toMs: 7 * HOUR_MS + 20 * MINUTE_MS },
      { of: 'deploy', fromMs: 8 * HOUR_MS, toMs: 8 * HOUR_MS + MINUTE_MS },
    ],
    moments: actions().map(({ atMs, action }) => ({ atMs, happen: (_world, people) => act(people, action) })),
  };
}
