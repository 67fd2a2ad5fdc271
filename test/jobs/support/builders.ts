import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import { nothingAttached } from '../../../src/jobs/attached.ts';
import type { JobRequest } from '../../../src/jobs/decide/open.ts';
import type { Reply } from '../../../src/jobs/event.ts';
import type { AgentFailure } from '../../../src/jobs/failure.ts';
import type { FollowUp } from '../../../src/jobs/follow-up.ts';
import type { Policy } from '../../../src/jobs/policy.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** The defaults of the program, and one notice channel. */
export const policy: Policy = {
  pollMinIntervalMs: 5 * SECOND_MS,
  pollMaxIntervalMs: 60 * SECOND_MS,
  pollGrowth: 0.1,
  followUpWindowMs: 4 * SECOND_MS,
  followUpMode: 'every_reply',
  settleWindowMs: 90 * SECOND_MS,
  longRunningAfterMs: 6 * HOUR_MS,
  promptMaxLength: 20_000,
  noticeChannels: ['C-NEWS'],
  retryUnknown: 'never',
};

export const request: JobRequest = {
  teamId: 'T1',
  channelId: 'C1',
  requesterId: 'U1',
  projectId: 'handbook',
  projectName: 'handbook',
  prompt: 'Document the rate limits',
  responseUrl: null,
  thread: null,
};

export function anAgentJob(facts: Partial<AgentJob> = {}): AgentJob {
  return {
    id: 'agent-1',
    status: 'active',
    repository: 'acme/docs',
    ref: 'main',
    model: 'sonnet',
    prLink: null,
    ...facts,
  };
}

export function aReply(facts: Partial<Reply> = {}): Reply {
  return {
    messageTs: '1.000000',
    userId: 'U2',
    text: 'Shorter, please',
    editedTs: null,
    mentionsBot: false,
    attached: nothingAttached,
    ...facts,
  };
}

export function aFollowUp(facts: Partial<FollowUp> = {}): FollowUp {
  return {
    id: 'reply-1',
    jobId: 'job-1',
    messageTs: '1.000000',
    userId: 'U1',
    text: 'Shorter, please',
    editedTs: null,
    receivedAtMs: 0,
    state: 'waiting',
    callId: null,
    corrected: null,
    isDeleted: false,
    isCorrection: false,
    snippets: [],
    inlined: '',
    ...facts,
  };
}

export function aFailure(facts: Partial<AgentFailure> = {}): AgentFailure {
  return {
    outcome: 'definite',
    reason: 'unreachable',
    status: null,
    message: 'no connection',
    retryAfterMs: null,
    ...facts,
  };
}

export const failures = {
  unreachable: aFailure(),
  timeout: aFailure({ outcome: 'unknown', message: 'no answer within 30 s' }),
  serverError: aFailure({ outcome: 'unknown', reason: 'server_error', status: 500, message: 'oops' }),
  rateLimited: aFailure({
    reason: 'rate_limited',
    status: 429,
    message: 'slow down',
    retryAfterMs: 10 * MINUTE_MS,
  }),
  overBudget: aFailure({
    reason: 'rate_limited',
    message: 'the budget of 100 calls per hour is used up',
    retryAfterMs: HOUR_MS,
  }),
  unauthorized: aFailure({ reason: 'unauthorized', status: 401, message: 'bad key' }),
  noSuchPath: aFailure({
    reason: 'no_such_path',
    status: 404,
    message: 'the agent API answered with status 404',
  }),
  notFound: aFailure({ reason: 'not_found', status: 404, message: 'not found' }),
  rejected: aFailure({ reason: 'rejected', status: 400, message: 'prompt is too vague' }),
};
