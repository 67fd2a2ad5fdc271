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

type Members<T> = { readonly [Name in keyof T]: fc.Arbitrary<T[Name]> };

/** So often as the weight says: a thing that is done, with what else there is to it. */
function doing<Done extends { readonly do: string }>(
  weight: number,
  name: Done['do'],
  more: Members<Omit<Done, 'do'>>,
): fc.WeightedArbitrary<Done> {
  const arbitrary = fc.record({ do: fc.constant(name), ...more }) as unknown as fc.Arbitrary<Done>;
  return { weight, arbitrary };
}

type Action<Name> = Extract<PersonAction, { readonly do: Name }>;

const actionsWith = (by: fc.Arbitrary<WayToAsk>): fc.Arbitrary<PersonAction> => {
  const channel = fc.constantFrom(general, general, general, general, random);
  const kind = fc.constantFrom<'words' | 'blank'>('words', 'words', 'words', 'words', 'words', 'blank');
  return fc.oneof(
    doing<Action<'ask'>>(5, 'ask', { by, channel, user: fc.constantFrom(alice, bob) }),
    doing<Action<'reply'>>(8, 'reply', { pick, kind }),
    doing<Action<'edit'>>(2, 'edit', { pick }),
    doing<Action<'remove'>>(2, 'remove', { pick }),
    doing<Action<'press'>>(3, 'press', { pick, times: fc.integer({ min: 1, max: 2 }) }),
  );
};

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

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const faultsOf = <T>(fault: fc.Arbitrary<T>) => fc.array(fault, { minLength: 1, maxLength: 4 });
const readFaults = faultsOf(fc.oneof(weighted(9, anySlackFault), weighted(1, anyWebPage)));
const postFaults = faultsOf(
  fc.oneof(weighted(18, anySlackFault), weighted(2, anyWebPage), weighted(1, anyRefusal)),
);

const anyPause = fc.oneof(
  weighted(3, fc.integer({ min: 0, max: 10 * SECOND_MS })),
  weighted(3, fc.integer({ min: 0, max: 5 * MINUTE_MS })),
  weighted(1, fc.integer({ min: 0, max: 5 * HOUR_MS })),
);

const slackOutage = fc.constantFrom<SlackFault>('reset_before', { status: 503 }, { error: 'token_revoked' });
const agentOutage = fc.constantFrom<AgentFault | 'refused'>(
  'refused',
  'reset_before',
  { status: 503, headers: { 'retry-after': '60' } },
  { status: 401 },
  { status: 429 },
);

type StepOf<Name> = Extract<Step, { readonly do: Name }>;

const stepsWith = (anyAction: fc.Arbitrary<PersonAction>): fc.WeightedArbitrary<Step>[] => {
  const actions = fc.array(anyAction, { maxLength: 3 });
  const together = fc.array(anyAction, { minLength: 1, maxLength: 4 });
  const faults = faultsOf(anyAgentFault);
  const [ms, copies] = [anyPause, fc.constantFrom(1, 1, 1, 2, 3, 4, 0)];
  return [
    doing<StepOf<'together'>>(10, 'together', { actions: together, copies }),
    doing<StepOf<'pass'>>(8, 'pass', { ms }),
    doing<StepOf<'slack_fails'>>(4, 'slack_fails', { method: anyMethod, faults: readFaults }),
    doing<StepOf<'slack_fails'>>(4, 'slack_fails', {
      method: fc.constant('chat.postMessage'),
      faults: postFaults,
    }),
    doing<StepOf<'agent_fails'>>(5, 'agent_fails', { operation: anyOperation, faults }),
    doing<StepOf<'slack_outage'>>(1, 'slack_outage', { fault: slackOutage, ms }),
    doing<StepOf<'agent_outage'>>(1, 'agent_outage', { fault: agentOutage, ms }),
    doing<StepOf<'restart'>>(2, 'restart', { pick, actions, ms }),
    doing<StepOf<'archive' | 'vanish'>>(1, 'archive', { pick }),
    doing<StepOf<'archive' | 'vanish'>>(1, 'vanish', { pick }),
    doing<StepOf<'cut'>>(CUTS, 'cut', { actions }),
  ];
};

// A post that was on its way arrives when the machine wakes; it is looked for only some minutes after its start.
const sleep = doing<StepOf<'sleep'>>(1, 'sleep', { ms: fc.integer({ min: 0, max: 10 * MINUTE_MS }) });

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
