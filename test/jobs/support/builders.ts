import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { JobRequest } from '../../../src/jobs/decide/open.ts';
import type { Reply } from '../../../src/jobs/event.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import { PUBLIC_SITES } from '../../../src/jobs/pull-requests/link.ts';
import { noAttachments } from '../../../src/jobs/requests/attachments.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** Near the defaults of the program, and one notice channel. */
export const policy: Policy = {
  pollMinIntervalMs: 5 * SECOND_MS,
  pollMaxIntervalMs: 60 * SECOND_MS,
  followUpWindowMs: 4 * SECOND_MS,
  followUpMode: 'every_reply',
  settleWindowMs: 90 * SECOND_MS,
  longRunningAfterMs: 6 * HOUR_MS,
  promptMaxLength: 20_000,
  noticeChannels: ['C-NEWS'],
  pullRequests: {
    sites: PUBLIC_SITES,
    watchedSites: [],
    remindAfterMs: 72 * HOUR_MS,
    watchForMs: 720 * HOUR_MS,
  },
};

export const request: JobRequest = {
  teamId: 'T1',
  channelId: 'C1',
  requesterId: 'U1',
  origin: { kind: 'command' },
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
    attachments: noAttachments,
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

/** In the API's own words. */
const said = (words: string) => ({ message: words, words });

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
  notFound: aFailure({ ...said('not found'), reason: 'not_found', status: 404 }),
  rejected: aFailure({ ...said('prompt is too vague'), reason: 'rejected', status: 400 }),
};
