import { expect, test } from 'vitest';
import { queueOf } from '../../src/jobs/follow-ups/follow-up.ts';
import { failures, HOUR_MS, SECOND_MS } from './support/builders.ts';
import { aJobBeingCreated, aWorkingJob } from './support/stages.ts';
import { fails, goesOut, happens, live, passes, type Step, says } from './support/story.ts';
import type { World } from './support/world.ts';

const sendNow = (message: number) => happens({ type: 'send_now_pressed', message });
const limited = fails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
const overBudget = fails({ ...failures.overBudget, retryAfterMs: HOUR_MS });
const nobody = { waiting: 0, until: null, sendNow: null };
const one = { ...nobody, waiting: 1 };

function expectQueue(world: World, expected: Record<string, unknown>): void {
  const followUps = [...world.followUps.values()].filter(({ state }) => state !== 'sent');
  const { untilMs, undecided, ...rest } = queueOf({ job: world.job, followUps }, world.policy, world.nowMs);
  expect(undecided).toBeNull();
  expect({ ...rest, until: world.seconds(untilMs) }).toEqual(expected);
}

test.each<[string, Step[], Record<string, unknown>]>([
  ['nobody waits', [], nobody],
  [
    'replies wait for the end of their window, and can be hastened while there is time (F2, F3)',
    [says('one'), passes(SECOND_MS), says('two')],
    { waiting: 2, until: 5, sendNow: 1 },
  ],
  [
    'replies cannot be hastened when their window is as good as over',
    [says('one'), passes(SECOND_MS), says('two'), passes(3 * SECOND_MS)],
    { waiting: 2, until: 5, sendNow: null },
  ],
  ['replies that are being sent cannot be hastened', [says('one'), goesOut], one],
  ['nor can those behind them', [says('one'), goesOut, says('two')], { ...one, waiting: 2 }],
  [
    // The time may be wrong: somebody may want to know.
    'replies that the API holds up wait until the time that it named, and can be tried (F2)',
    [says('one'), goesOut, limited],
    { waiting: 1, until: 3604, sendNow: 2 },
  ],
  ['replies are tried once somebody says so', [says('one'), goesOut, limited, sendNow(2)], one],
  [
    'replies that our own budget holds up are not offered to go at once (F2)',
    [says('one'), goesOut, overBudget],
    { waiting: 1, until: 3604, sendNow: null },
  ],
  ['replies that were hastened are not offered it again', [says('one'), sendNow(1)], one],
])('%s', (_, steps, expected) => {
  expectQueue(live(aWorkingJob(), ...steps), expected);
});

test('a start that the API holds up can be tried at once, and one that our own budget holds up cannot', () => {
  const world = aJobBeingCreated();
  expectQueue(world, nobody);
  expectQueue(live(world, limited), { ...nobody, sendNow: 1 });
  expectQueue(live(world, sendNow(1)), nobody);
  expectQueue(live(world, overBudget), nobody);
});

test('replies before there is a job wait for it, nobody knows until when', () => {
  expectQueue(live(aJobBeingCreated(), says('one')), one);
});

test('replies that a person has to decide about are counted, and the oldest is named', () => {
  const world = live(aWorkingJob({ promptMaxLength: 5 }), says('too long'), says('far too long'));
  const followUps = [...world.followUps.values()];
  const { undecided } = queueOf({ job: world.job, followUps }, world.policy, world.nowMs);
  expect(undecided).toEqual({ count: 2, callId: followUps[0]?.id });
});
