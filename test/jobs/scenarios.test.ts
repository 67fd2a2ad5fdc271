import { expect, test } from 'vitest';
import type { AgentJob } from '../../src/jobs/agent-job.ts';
import type { Policy } from '../../src/jobs/policy.ts';
import { aFailure } from './support/builders.ts';
import { accepts, fails, happens, live, type Step, says, shows } from './support/story.ts';
import { START_MS, World } from './support/world.ts';

/** So many seconds after the request, with the checks and sends that fall due until then. */
const at =
  (second: number, ...steps: readonly Step[]): Step =>
  (world) => {
    world.advance(START_MS + second * 1_000 - world.nowMs);
    live(world, ...steps);
  };
const cardPosted: Step = (world) => world.cardPosted();
const created =
  (facts: Partial<AgentJob> = {}): Step =>
  (world) =>
    world.created(facts);
const pressesStart = happens(({ job, buttonCallId: callId }) => ({
  type: 'start_again_pressed',
  creates: job.creates,
  callId,
}));

/** What happened when, and the calls and announcements that had to follow, in order. */
test.each<[string, Partial<Policy>, Step[], string[]]>([
  [
    'a failed job is run again in the same thread, and this time it finishes',
    {},
    [
      at(0, cardPosted),
      at(1, created()),
      at(60, shows({ status: 'failed' }, 0)),
      at(100, pressesStart),
      at(100.2, pressesStart),
      at(101, created({ id: 'agent-2' })),
      at(160, shows({ status: 'completed', prLink: 'https://example.com/pull/9' }, 0)),
      at(600),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '1 s thread: started',
      '61 s thread: failed',
      '100 s create: Document the rate limits',
      '101 s thread: started',
      '161 s thread: finished, first pull request https://example.com/pull/9',
      '161 s notice in C-NEWS: https://example.com/pull/9',
    ],
  ],
  [
    'a follow-up to a finished job, whose old completed lingers',
    {},
    [
      at(0, cardPosted),
      at(1, created()),
      at(30, shows({ status: 'completed', prLink: 'https://example.com/pull/7' }, 0)),
      at(60, says('Add an example')),
      at(62, says('in Go')),
      at(67, accepts),
      at(90, shows({}, 0)),
      at(150, shows({ status: 'completed', prLink: 'https://example.com/pull/7' }, 0)),
      at(200, says('And one in Rust')),
      at(205, accepts),
      at(220, shows({ status: 'completed', prLink: 'https://example.com/pull/8' }, 0)),
      at(600),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '1 s thread: started',
      '31 s thread: finished, first pull request https://example.com/pull/7',
      '31 s notice in C-NEWS: https://example.com/pull/7',
      '66 s message to agent-1: Add an example↵↵in Go',
      '152 s thread: finished, same pull request',
      '204 s message to agent-1: And one in Rust',
      '225 s thread: finished, changed pull request https://example.com/pull/8',
      '225 s notice in C-NEWS: https://example.com/pull/8',
    ],
  ],
  [
    'from the request to the pull request and its notice',
    { noticeChannels: ['C-NEWS', 'C-DOCS'] },
    [
      at(0, cardPosted),
      at(1, created()),
      at(60, shows({ ref: 'agent/rate-limits' }, 0)),
      at(180, shows({ status: 'completed', prLink: 'https://example.com/pull/7' }, 0)),
      at(600),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '1 s thread: started',
      '181 s thread: finished, first pull request https://example.com/pull/7',
      '181 s notice in C-NEWS: https://example.com/pull/7',
      '181 s notice in C-DOCS: https://example.com/pull/7',
    ],
  ],
  [
    'an outage while the agent works and a reply waits',
    {},
    [
      at(0, cardPosted),
      at(1, created()),
      at(10, shows(aFailure({}), 0)),
      at(20, says('one')),
      at(25, fails(aFailure({}))),
      at(70, fails(aFailure({}))),
      at(231, fails(aFailure({}))),
      at(240, shows({}, 0)),
      at(600, accepts),
      at(620, shows({ status: 'completed' }, 0)),
      at(900),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '1 s thread: started',
      '24 s message to agent-1: one',
      '30 s message to agent-1: one',
      '80 s message to agent-1: one',
      '186 s thread: unreachable until 246 s',
      '251 s message to agent-1: one',
      '600 s thread: recovered',
      '625 s thread: finished, no pull request',
    ],
  ],
  [
    'a rate limit on the start, on follow-ups and on checks at once',
    {},
    [
      at(0, cardPosted),
      at(
        1,
        fails(aFailure({ reason: 'rate_limited', status: 429, message: 'slow down', retryAfterMs: 60000 })),
      ),
      at(10, says('one')),
      at(
        61,
        fails(aFailure({ reason: 'rate_limited', status: 429, message: 'slow down', retryAfterMs: 30000 })),
      ),
      at(91, created()),
      at(
        92,
        fails(aFailure({ reason: 'rate_limited', status: 429, message: 'slow down', retryAfterMs: 120000 })),
      ),
      at(
        100,
        shows(
          aFailure({ reason: 'rate_limited', status: 429, message: 'slow down', retryAfterMs: 20000 }),
          0,
        ),
      ),
      at(120, says('two')),
      at(200, shows({}, 0)),
      at(213, fails(aFailure({ reason: 'rate_limited', status: 429, message: 'slow down' }))),
      at(515, accepts),
      at(540, shows({ status: 'completed', prLink: 'https://example.com/pull/7' }, 0)),
      at(900),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '91 s thread: started',
      '91 s message to agent-1: one',
      '212 s message to agent-1: one↵↵two',
      '223 s message to agent-1: one↵↵two',
      '545 s thread: finished, first pull request https://example.com/pull/7',
      '545 s notice in C-NEWS: https://example.com/pull/7',
    ],
  ],
  [
    'nobody knows whether the job was created, and a person starts it again',
    {},
    [
      at(0, cardPosted),
      at(30, fails(aFailure({ outcome: 'unknown', message: 'no answer within 30 s' }))),
      at(40, says('Shorter, please')),
      at(300, pressesStart),
      at(301, pressesStart),
      at(302, created()),
      at(303, accepts),
      at(330, shows({}, 0)),
      at(400, shows({ status: 'completed', prLink: 'https://example.com/pull/7' }, 0)),
      at(600),
    ],
    [
      '0 s card',
      '0 s create: Document the rate limits',
      '30 s thread: create_unknown',
      '300 s create: Document the rate limits',
      '302 s thread: started',
      '302 s message to agent-1: Shorter, please',
      '403 s thread: finished, first pull request https://example.com/pull/7',
      '403 s notice in C-NEWS: https://example.com/pull/7',
    ],
  ],
])('a recorded thread goes as it went: %s', (_about, policy, steps, followed) => {
  expect(live(new World(policy), ...steps).transcript).toEqual(followed);
});
