import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { AgentFailure } from '../../../src/jobs/failure.ts';
import { fc } from '../../support/properties.ts';
import { anAgentJob, failures, HOUR_MS } from './builders.ts';
import type { World } from './world.ts';

const ASIDE = 'aside ';

/** Anything that people, Slack, the API and the clock may do to a job. */
export type Deed =
  /** `isLate`: Slack tells of it later, perhaps after younger ones. */
  | { readonly do: 'reply'; readonly text: string; readonly isLate: boolean }
  /** `isLate`: as for a reply. `flip`: makes an aside of a reply, or the other way round. */
  | { readonly do: 'edit' | 'remove' | 'flip'; readonly pick: number; readonly isLate: boolean }
  /** Slack tells of something that it has not told of. */
  | { readonly do: 'tell'; readonly pick: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** The clock jumps, and nothing runs on the way. */
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'card'; readonly refused: boolean }
  | { readonly do: 'card_delayed' }
  | { readonly do: 'agent_takes'; readonly described: boolean }
  /** `isTaken`: the API took the request, if the failure leaves that open. */
  | { readonly do: 'agent_fails'; readonly failure: AgentFailure; readonly isTaken: boolean }
  | { readonly do: 'get_says'; readonly answer: Partial<AgentJob> | AgentFailure }
  | { readonly do: 'check' }
  | { readonly do: 'send_due' }
  | { readonly do: 'press'; readonly button: PressedButton; readonly pick: number }
  | { readonly do: 'repeat'; readonly pick: number }
  | { readonly do: 'irrelevant'; readonly event: JobEvent };

type WatchButton = 'keep_watching' | 'stop_watching' | 'resume_watching';
type PressedButton = 'run_again' | 'start_again' | 'resend' | 'send_now' | 'try_again' | WatchButton;

export const anyPolicy = fc.record({
  promptMaxLength: fc.constant(40),
  followUpWindowMs: fc.constantFrom(0, 4_000),
  settleWindowMs: fc.constantFrom(0, 90_000),
  longRunningAfterMs: fc.constantFrom(60_000, 6 * HOUR_MS),
  retryUnknown: fc.constantFrom('never', 'messages', 'all'),
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

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('reply'), text: anyReply(), isLate: anyLateness() }) },
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
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 0, max: 120_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.integer({ min: -HOUR_MS, max: HOUR_MS }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('agent_takes'), described: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('agent_fails'),
      failure: anyFailure,
      isTaken: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('get_says'), answer: anyAnswer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('send_due') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('press'),
      button: fc.constantFrom(
        'run_again',
        'start_again',
        'resend',
        'send_now',
        'try_again',
        'keep_watching',
        'stop_watching',
        'resume_watching',
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
const cardDeed: fc.Arbitrary<Deed> = fc.record({
  do: fc.constant('card'),
  refused: fc.integer({ min: 0, max: 19 }).map((dice) => dice === 0),
});

export const anyLife: fc.Arbitrary<readonly Deed[]> = fc
  .tuple(fc.array(deed, { maxLength: 3 }), cardDeed, fc.array(deed, { maxLength: 60 }))
  .map(([before, card, after]) => [...before, card, ...after]);

function anyReply(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 10 }).map((text) => `x${text}`) },
    { weight: 1, arbitrary: fc.constant(`${ASIDE}for the people`) },
    { weight: 1, arbitrary: fc.constant('\u200b') },
    { weight: 1, arbitrary: fc.constant('x'.repeat(41)) },
  );
}

function anyLateness(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0);
}

/** Does it, if it can be done now. */
export function act(world: World, deed: Deed): void {
  switch (deed.do) {
    case 'reply':
      // Before the card there is no thread to reply in.
      if (world.job.threadTs === null) break;
      world.thread.write(numbered(world, deed.text));
      if (!deed.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'edit':
      world.thread.edit(deed.pick, (text) => `${text}!`);
      if (!deed.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'flip':
      world.thread.edit(deed.pick, (text) =>
        text.startsWith(ASIDE) ? text.slice(ASIDE.length) : ASIDE + text,
      );
      if (!deed.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'remove':
      world.thread.remove(deed.pick);
      if (!deed.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'tell':
      world.tell(deed.pick % world.thread.untold.length);
      break;
    case 'card_delayed':
      if (world.open('post_card').length > 0) world.apply({ type: 'card_delayed', reason: 'missing_scope' });
      break;
    case 'wait':
      world.advance(deed.ms);
      break;
    case 'jump':
      world.nowMs += deed.ms;
      break;
    case 'card':
      if (world.open('post_card').length === 0) break;
      if (deed.refused) world.cardRefused();
      else world.cardPosted();
      break;
    case 'agent_takes':
      agentTakes(world, deed.described);
      break;
    case 'agent_fails':
      if (world.open('create_job').length > 0) world.createFails(deed.failure, deed.isTaken);
      else if (world.open('send_message').length > 0) world.messageFails(deed.failure, deed.isTaken);
      break;
    case 'get_says':
      world.answer = 'reason' in deed.answer ? deed.answer : anAgentJob(deed.answer);
      break;
    case 'check':
      if (world.tasks.has('check_job')) world.check();
      break;
    case 'send_due':
      world.sendDue();
      break;
    case 'press':
      press(world, deed.button, deed.pick);
      break;
    case 'repeat':
      repeat(world, deed.pick);
      break;
    case 'irrelevant':
      world.apply(deed.event);
      break;
  }
}

/** So that no two are the same. What cannot be sent stays so. */
function numbered(world: World, text: string): string {
  return text.startsWith('x') ? `#${world.thread.size + 1} ${text}` : text;
}

function agentTakes(world: World, described: boolean): void {
  if (world.open('create_job').length > 0) world.created({ id: `agent-${world.job.creates}` });
  else if (world.open('send_message').length > 0) world.accepted(described ? world.job.agentJob : null);
}

/** Any button that was ever shown. */
function press(world: World, button: PressedButton, pick: number): void {
  const callIds = world.told.flatMap((news) => ('callId' in news ? [news.callId] : []));
  const callId = callIds[pick % callIds.length] ?? 'none';
  const { messages, cards, creates, watchQuestions } = world.job;
  switch (button) {
    case 'run_again':
      world.apply({ type: 'run_again_pressed', creates, callId: pick % 2 === 0 ? callId : undefined });
      break;
    case 'start_again':
    case 'resend':
      world.apply({ type: `${button}_pressed`, callId });
      break;
    case 'send_now':
      world.apply({ type: 'send_now_pressed', message: messages + (pick % 2) });
      break;
    case 'try_again':
      world.apply({ type: 'try_again_pressed', cards: cards - (pick % 2), responseUrl: null });
      break;
    default:
      world.apply({ type: `${button}_pressed`, question: watchQuestions - (pick % 2) });
  }
}

/** What cannot come again: a gesture is remembered, a call's lease is gone by its outcome, and a check reads anew. */
const onceOnly = ['reply_received', 'job_created', 'create_failed', 'job_checked', 'check_failed'];

/** Any other earlier event comes again. */
function repeat(world: World, pick: number): void {
  const again = world.events.filter(({ type }) => !onceOnly.includes(type));
  const event = again[pick % again.length];
  if (event !== undefined) world.apply(event);
}
