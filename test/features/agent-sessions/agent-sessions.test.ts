import { expect, test } from 'vitest';
import { agentSessions, sessionStateOf } from '../../../src/features/agent-sessions/index.ts';
import type { FeatureTools } from '../../../src/features/feature.ts';
import type { Job, Stage, Trouble } from '../../../src/jobs/job.ts';
import {
  rateLimited,
  SlackCallError,
  type SlackFailure,
  slackFailure,
} from '../../../src/slack/workspace/caller.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { aJob } from '../../support/a-job.ts';

const MINUTE_MS = 60_000;
const working: Stage = { kind: 'working', turnStartedAtMs: 0, settle: null };
const ended: Stage = { kind: 'ended', status: 'completed', sinceMs: 0 };
const trouble = (kind: Trouble['kind']): Pick<Job, 'trouble'> => ({
  trouble: { kind, source: 'send', sinceMs: 0, misses: 1, retryAtMs: 0, isAnnounced: false },
});
const atWork: Partial<Job> = { stage: working, agentJob: anAgentJob({ status: 'active' }) };
const stopped: Stage = { ...working, question: { number: 1, answer: 'stop' } };

test.each<[what: string, facts: Partial<Job>, state: string | null]>([
  ['at which the agent is seen at work', atWork, 'processing'],
  ['whose end is not believed yet', { ...atWork, agentJob: anAgentJob({ status: 'completed' }) }, null],
  ['whose status nobody has read yet', { stage: working }, null],
  ['that waits for an administrator', { ...atWork, ...trouble('needs_admin') }, 'suspended'],
  ['whose start waits for one', { stage: { kind: 'creating' }, ...trouble('needs_admin') }, 'suspended'],
  ['that waits for the hourly limit', { ...atWork, ...trouble('rate_limited') }, 'processing'],
  ['of an unclear start', { stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } }, 'suspended'],
  ['that has ended', { stage: ended }, 'active'],
  ['that failed', { stage: { ...ended, status: 'failed' } }, 'active'],
  ['that was not accepted', { stage: { kind: 'rejected', message: 'no' } }, 'active'],
  ['that nobody watches any more', { ...atWork, stage: stopped }, 'closed'],
  ['that is about to be created', { stage: { kind: 'creating' } }, null],
  ['whose card is being posted', { stage: { kind: 'opening' } }, null],
])('the session of a job %s (T4)', (_what, facts, state) => {
  expect(sessionStateOf(aJob(facts))).toBe(state);
});

/** A change of the job, or a look at it; what it then is, and when; what Slack is then told. */
type Step = [
  id: string,
  how: 'changed' | 'checked',
  state: 'processing' | 'active',
  atMs: number,
  isTold: boolean,
];

/** Before which step Slack begins to refuse, with what; the step after it is taken. */
type Refusal = readonly [step: number, failure: SlackFailure];

const begun: Step = ['a', 'changed', 'processing', 0, true];
const lost: Step = ['a', 'checked', 'active', 0, true];
const untilLater: Step[] = [
  begun,
  lost,
  ['b', 'changed', 'processing', 1, true],
  ['a', 'checked', 'active', MINUTE_MS - 1, false],
  ['a', 'checked', 'active', MINUTE_MS, true],
  ['a', 'checked', 'active', MINUTE_MS, false],
];
const aboutOne: Step[] = [begun, ['b', 'changed', 'processing', 1, true]];

test.each<[what: string, steps: readonly Step[], refusal?: Refusal]>([
  [
    'a session at work is renewed before Slack ends it',
    [
      begun,
      ['a', 'checked', 'processing', 45 * MINUTE_MS - 1, false],
      ['a', 'checked', 'processing', 45 * MINUTE_MS, true],
    ],
  ],
  [
    'a change is due at once, and what rests is said once',
    [begun, ['a', 'checked', 'active', 1, true], ['a', 'changed', 'active', 50 * MINUTE_MS, false]],
  ],
  [
    'a look at a job that had ended before this process began says nothing; a change of it does',
    [
      ['a', 'checked', 'active', 0, false],
      ['a', 'changed', 'active', 0, true],
      ['b', 'checked', 'processing', 0, true],
    ],
  ],
  [
    'after a refusal, the workspace is told nothing for an hour, then what was not shown',
    [
      begun,
      lost,
      ['b', 'changed', 'processing', 60 * MINUTE_MS - 1, false],
      ['a', 'checked', 'active', 60 * MINUTE_MS, true],
      ['a', 'checked', 'active', 60 * MINUTE_MS, false],
    ],
    [1, slackFailure('refused', 'invalid_arguments')],
  ],
  ['after a rate limit, the session is told nothing for a minute', untilLater, [1, rateLimited(1_000)]],
  ['so after no answer', untilLater, [1, slackFailure('unknown', 'timeout')]],
  ['a thread that is gone is about it alone', aboutOne, [0, slackFailure('refused', 'thread_not_found')]],
  ['so is a channel without the bot', aboutOne, [0, slackFailure('refused', 'not_in_channel')]],
  ['so is an archived one', aboutOne, [0, slackFailure('refused', 'is_archived')]],
  [
    'a clock that is set back makes nobody wait for it',
    [
      ['a', 'changed', 'processing', 100 * MINUTE_MS, true],
      ['a', 'checked', 'processing', 0, true],
    ],
  ],
])('%s (T4)', async (_what, steps, [refusedAt, failure] = [-1, rateLimited(0)]) => {
  const told: string[] = [];
  let nowMs = 0;
  let isRefused = false;
  const setSessionState = async (_channelId: string, threadTs: string, state: string) => {
    told.push(`${threadTs} ${state}`);
    if (isRefused) throw new SlackCallError('agents.sessions.setStatus', failure);
  };
  const tools = {
    ...{ clock: { now: () => nowMs }, log: { debug: () => {} } },
    workspaces: { of: async () => ({ poster: { setSessionState } }) },
  };
  const show = agentSessions.shows?.(tools as unknown as FeatureTools);
  for (const [index, [id, how, state, atMs, isTold]] of steps.entries()) {
    nowMs = atMs;
    isRefused = index === refusedAt;
    told.length = 0;
    const stage = { processing: working, active: ended }[state];
    const job = aJob({ id, threadTs: id, stage, agentJob: anAgentJob({ status: 'active' }) });
    show?.(job, how === 'checked');
    await new Promise(setImmediate);
    expect(told, `step ${index}`).toEqual(isTold ? [`${id} ${state}`] : []);
  }
});
