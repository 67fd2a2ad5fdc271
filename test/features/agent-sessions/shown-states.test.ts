import { expect, test } from 'vitest';
import { agentSessions } from '../../../src/features/agent-sessions/index.ts';
import type { FeatureTools } from '../../../src/features/feature.ts';
import type { Stage } from '../../../src/jobs/job.ts';
import {
  rateLimited,
  SlackCallError,
  type SlackFailure,
  slackFailure,
} from '../../../src/slack/workspace/caller.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { aJob } from '../../support/a-job.ts';

const MINUTE_MS = 60_000;
const stages = {
  processing: { kind: 'working', turnStartedAtMs: 0, settle: null },
  active: { kind: 'ended', status: 'completed', sinceMs: 0 },
} satisfies Record<string, Stage>;

/** The functions return what Slack was told. */
function someSessions() {
  const told: string[] = [];
  let nowMs = 0;
  let failure: SlackFailure | null = null;
  const tools = {
    clock: { now: () => nowMs },
    log: { debug: () => {} },
    workspaces: {
      of: async () => ({
        poster: {
          setSessionState: async (_channelId: string, threadTs: string, state: string) => {
            told.push(`${threadTs} ${state}`);
            if (failure !== null) throw new SlackCallError('agents.sessions.setStatus', failure);
          },
        },
      }),
    },
  };
  const show = agentSessions.shows?.(tools as unknown as FeatureTools);
  const said = async (id: string, state: keyof typeof stages, atMs: number, isCheck: boolean) => {
    nowMs = atMs;
    told.length = 0;
    show?.(
      aJob({ id, threadTs: id, stage: stages[state], agentJob: anAgentJob({ status: 'active' }) }),
      isCheck,
    );
    await new Promise(setImmediate);
    return [...told];
  };
  return {
    changed: (id: string, state: keyof typeof stages, atMs: number) => said(id, state, atMs, false),
    checked: (id: string, state: keyof typeof stages, atMs: number) => said(id, state, atMs, true),
    fails: (next: SlackFailure | null) => {
      failure = next;
    },
  };
}

test('a session at work is renewed before Slack ends it', async () => {
  const { changed, checked } = someSessions();
  await changed('a', 'processing', 0);
  expect(await checked('a', 'processing', 45 * MINUTE_MS - 1)).toEqual([]);
  expect(await checked('a', 'processing', 45 * MINUTE_MS)).toEqual(['a processing']);
});

test('a change is due at once, and what rests is said once', async () => {
  const { changed, checked } = someSessions();
  await changed('a', 'processing', 0);
  expect(await checked('a', 'active', 1)).toEqual(['a active']);
  expect(await changed('a', 'active', 50 * MINUTE_MS)).toEqual([]);
});

test('a look at a job that had ended before this process began says nothing; a change of it does', async () => {
  const { changed, checked } = someSessions();
  expect(await checked('a', 'active', 0)).toEqual([]);
  expect(await changed('a', 'active', 0)).toEqual(['a active']);
  expect(await checked('b', 'processing', 0)).toEqual(['b processing']);
});

test('after a refusal, the workspace is told nothing for an hour, then what was not shown', async () => {
  const { changed, checked, fails } = someSessions();
  await changed('a', 'processing', 0);
  fails(slackFailure('refused', 'invalid_arguments'));
  expect(await checked('a', 'active', 0)).toEqual(['a active']);
  fails(null);
  expect(await changed('b', 'processing', 60 * MINUTE_MS - 1)).toEqual([]);
  expect(await checked('a', 'active', 60 * MINUTE_MS)).toEqual(['a active']);
  expect(await checked('a', 'active', 60 * MINUTE_MS)).toEqual([]);
});

test.each([
  ['a rate limit', rateLimited(1_000)],
  ['no answer', slackFailure('unknown', 'timeout')],
])('after %s, the session is told nothing for a minute, and others go on', async (_what, failure) => {
  const { changed, checked, fails } = someSessions();
  await changed('a', 'processing', 0);
  fails(failure);
  expect(await checked('a', 'active', 0)).toEqual(['a active']);
  fails(null);
  expect(await changed('b', 'processing', 1)).toEqual(['b processing']);
  expect(await checked('a', 'active', MINUTE_MS - 1)).toEqual([]);
  expect(await checked('a', 'active', MINUTE_MS)).toEqual(['a active']);
  expect(await checked('a', 'active', MINUTE_MS)).toEqual([]);
});

test.each(['thread_not_found', 'not_in_channel', 'is_archived'])(
  '%s is about one thread: others are told theirs',
  async (code) => {
    const { changed, fails } = someSessions();
    fails(slackFailure('refused', code));
    await changed('a', 'processing', 0);
    fails(null);
    expect(await changed('b', 'processing', 1)).toEqual(['b processing']);
  },
);

test('a clock that is set back makes nobody wait for it', async () => {
  const { changed, checked } = someSessions();
  await changed('a', 'processing', 100 * MINUTE_MS);
  expect(await checked('a', 'processing', 0)).toEqual(['a processing']);
});
