import type { JobEvent } from '../../../src/jobs/event.ts';
import { fc } from '../../support/properties.ts';
import { type Action, ASIDE } from './actions.ts';
import { anAgentJob, failures, HOUR_MS } from './builders.ts';

export const anyPolicy = fc.record({
  promptMaxLength: fc.constant(40),
  followUpWindowMs: fc.constantFrom(0, 4_000),
  settleWindowMs: fc.constantFrom(0, 90_000),
  longRunningAfterMs: fc.constantFrom(60_000, 6 * HOUR_MS),
});

const anyFailure = fc.constantFrom(...Object.values(failures));

const anyAnswer = fc.oneof(
  fc.record({
    status: fc.constantFrom('active', 'completed', 'completed', 'failed', 'archived', 'napping'),
    prLink: fc.constantFrom(null, 'https://example.com/pull/1', 'https://example.com/pull/2', 'no link'),
  }),
  anyFailure,
);

const irrelevantEvents: JobEvent[] = [
  { type: 'job_checked', agentJob: anAgentJob({ id: 'agent-of-others', status: 'failed' }) },
  { type: 'check_failed', agentJobId: 'agent-of-others', failure: failures.notFound },
  {
    type: 'message_accepted',
    callId: 'unheard-of',
    agentJobId: 'agent-1',
    agentJob: anAgentJob({ status: 'failed' }),
  },
  { type: 'message_failed', callId: 'unheard-of', failure: failures.timeout },
  { type: 'resend_pressed', callId: 'unheard-of' },
  { type: 'start_again_pressed', callId: 'unheard-of' },
];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('reply'),
      text: anyReply(),
      userId: anyAuthor(),
      mentionsBot: fc.boolean(),
      isLate: anyLateness(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fill_in'),
      text: fc.constantFrom('x in the form', 'x'.repeat(41)),
      userId: anyAuthor(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('edit', 'remove', 'flip'),
      pick: fc.nat(),
      isLate: anyLateness(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tell'), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'card_delayed' }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 0, max: 120_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.integer({ min: -HOUR_MS, max: HOUR_MS }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('agent_takes'), described: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('agent_fails'),
      failure: anyFailure,
      isTaken: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('get_says'), answer: anyAnswer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('send_due') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('look'),
      facts: fc.record({
        state: fc.constantFrom('draft', 'open', 'open', 'merged', 'closed'),
        // Long ago, or to come.
        updatedAtMs: fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
        checks: fc.constantFrom('pending', 'passing', 'failing'),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('press'),
      button: fc.constantFrom(
        'start_again',
        'start_unclear_again',
        'edit_and_start',
        'watch_it',
        'resend',
        'resend_all',
        'send_correction',
        'send_anyway',
        'send_now',
        'try_again',
        'keep_watching',
        'stop_watching',
        'resume_watching',
        'remind_again',
        'no_more_reminders',
      ),
      pick: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat'), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('irrelevant'), event: fc.constantFrom(...irrelevantEvents) }),
  },
);

/** Mostly the card gets posted, else nothing else happens. */
const cardAction: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('card'),
  refused: fc.integer({ min: 0, max: 19 }).map((dice) => dice === 0),
});

export const anyLife: fc.Arbitrary<readonly Action[]> = fc
  .tuple(fc.array(action, { maxLength: 3 }), cardAction, fc.array(action, { maxLength: 80, size: 'max' }))
  .map(([before, card, after]) => [...before, card, ...after]);

function anyReply(): fc.Arbitrary<string> {
  return fc.oneof(
    // No "xD": an emoji on its own is not for the agent.
    { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 10 }).map((text) => `q${text}`) },
    { weight: 1, arbitrary: fc.constant(`${ASIDE}for the people`) },
    { weight: 1, arbitrary: fc.constantFrom('mute', 'unmute', 'thanks!') },
    { weight: 1, arbitrary: fc.constant('\u200b') },
    { weight: 1, arbitrary: fc.constant('x'.repeat(41)) },
  );
}

/** The first is the requester. */
function anyAuthor(): fc.Arbitrary<string> {
  return fc.constantFrom('U1', 'U2', 'U3', 'U4');
}

function anyLateness(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0);
}
