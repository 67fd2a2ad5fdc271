import type { Operation } from '../../support/agent-api/fault.ts';
import { alice, bob, general, random } from '../../support/local-slack.ts';
import { fc } from '../../support/properties.ts';
import type { AgentFault } from './agent-front.ts';
import { anyAgentFault, anyRefusal, anySlackFault, anyWebPage } from './any-fault.ts';
import { HOUR_MS, MINUTE_MS, type PersonAction, SECOND_MS, type Step, type WayToAsk } from './steps.ts';
import type { SlackFault } from './troubles.ts';
import type { TurnPlan } from './turns.ts';

/** Bolt's client takes five real seconds to connect again: only for long runs. */
const CUTS = process.env.MODEL_RUNS === undefined ? 0 : 1;

const pick = fc.nat({ max: 50 });

const actionsWith = (by: fc.Arbitrary<WayToAsk>): fc.Arbitrary<PersonAction> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('ask'),
        by,
        channel: fc.constantFrom(general, general, general, general, random),
        user: fc.constantFrom(alice, bob),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('reply'),
        pick,
        kind: fc.constantFrom('words', 'words', 'words', 'words', 'words', 'blank'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('edit'), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), pick }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('press'), pick, times: fc.integer({ min: 1, max: 2 }) }),
    },
  );

const anyMethod = fc.constantFrom(
  'chat.update',
  'chat.getPermalink',
  'reactions.add',
  'reactions.remove',
  'conversations.replies',
  'conversations.history',
  'users.info',
  'response_url',
);

const anyOperation = fc.constantFrom<Operation>('create', 'message', 'message', 'get');

const faultsOf = <T>(fault: fc.Arbitrary<T>) => fc.array(fault, { minLength: 1, maxLength: 4 });

const anyPause = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 10 * SECOND_MS }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 * MINUTE_MS }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5 * HOUR_MS }) },
);

const stepsWith = (anyAction: fc.Arbitrary<PersonAction>): fc.WeightedArbitrary<Step>[] => [
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('together'),
      actions: fc.array(anyAction, { minLength: 1, maxLength: 4 }),
      copies: fc.constantFrom(1, 1, 1, 2, 3, 4, 0),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pass'), ms: anyPause }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('slack_fails'),
      method: anyMethod,
      faults: faultsOf(
        fc.oneof({ weight: 9, arbitrary: anySlackFault }, { weight: 1, arbitrary: anyWebPage }),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('slack_fails'),
      method: fc.constant('chat.postMessage'),
      faults: faultsOf(
        fc.oneof(
          { weight: 18, arbitrary: anySlackFault },
          { weight: 2, arbitrary: anyWebPage },
          { weight: 1, arbitrary: anyRefusal },
        ),
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('agent_fails'),
      operation: anyOperation,
      faults: faultsOf(anyAgentFault),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('slack_outage'),
      fault: fc.constantFrom<SlackFault>('reset_before', { status: 503 }, { error: 'token_revoked' }),
      ms: anyPause,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('agent_outage'),
      fault: fc.constantFrom<AgentFault | 'refused'>(
        'refused',
        'reset_before',
        { status: 503, headers: { 'retry-after': '60' } },
        { status: 401 },
        { status: 429 },
      ),
      ms: anyPause,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restart'),
      pick,
      actions: fc.array(anyAction, { maxLength: 3 }),
      ms: anyPause,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('archive', 'vanish'), pick }) },
  {
    weight: CUTS,
    arbitrary: fc.record({ do: fc.constant('cut'), actions: fc.array(anyAction, { maxLength: 3 }) }),
  },
];

const sleep: fc.WeightedArbitrary<Step> = {
  weight: 1,
  // A post that was on its way arrives when the machine wakes; it is looked for only some minutes after its start.
  arbitrary: fc.record({ do: fc.constant('sleep'), ms: fc.integer({ min: 0, max: 10 * MINUTE_MS }) }),
};

/** It begins with a request, so that there is something to happen to. */
const lifeOf = (anyStep: fc.Arbitrary<Step>): fc.Arbitrary<readonly Step[]> =>
  fc.array(anyStep, { minLength: 4, maxLength: 25, size: 'max' }).map((steps) => [
    {
      do: 'together',
      actions: [{ do: 'ask', by: 'command', channel: general, user: alice }],
      copies: 1,
    },
    ...steps,
  ]);

const lifeWithSleep = lifeOf(fc.oneof(...stepsWith(actionsWith(fc.constant('command'))), sleep));

/**
 * In a life with mentions and direct messages the machine does not sleep: the check that a request goes out in time
 * looks at the real clock, and one that was written just before the sleep arrives after it.
 */
const lifeWithMessages = lifeOf(
  fc.oneof(...stepsWith(actionsWith(fc.constantFrom('command', 'mention', 'direct_message')))),
);

/** Of two lives, one has sleep and the other has all ways to ask. */
export const anyLife = fc.oneof(lifeWithSleep, lifeWithMessages);

export const anyTurns: fc.Arbitrary<readonly TurnPlan[]> = fc.array(
  fc.record({
    workMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
    lagMs: fc.constantFrom(0, 0, 2_000, 60_000),
    ending: fc.constantFrom('pull_request', 'pull_request', 'no_change', 'failure'),
    isNewLink: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

export const anySettings = fc.record({
  AGENT_HOURLY_BUDGET: fc.constantFrom('100', '4'),
  FOLLOW_UP_WINDOW: fc.constantFrom('0', '4s', '60s'),
  SETTLE_WINDOW: fc.constantFrom('90s', '5m'),
});
