import { expect, test } from 'vitest';
import type { Job, Stage } from '../../src/jobs/job.ts';
import { stateReactionOf } from '../../src/jobs/shown/state-reaction.ts';
import { aJob } from '../support/a-job.ts';

const working: Stage = { kind: 'working', turnStartedAtMs: 0, settle: null };
const ended = (status: Extract<Stage, { kind: 'ended' }>['status']): Stage => ({ kind: 'ended', status });
const PR = 'https://github.com/acme/docs/pull/1';

test.each<[what: string, facts: Partial<Job>, reaction: string | null]>([
  ['whose card is posted', { stage: { kind: 'opening' } }, 'taken'],
  ['that is about to be created', { stage: { kind: 'creating' } }, 'taken'],
  ['at which the agent works', { stage: working }, 'working'],
  ['with a pull request', { stage: ended('completed'), announcedPrLink: PR }, 'ready'],
  ['that is done without a pull request', { stage: ended('completed') }, 'ready'],
  ['that failed', { stage: ended('failed') }, 'failed'],
  ['that the agent no longer knows', { stage: ended('vanished') }, 'failed'],
  ['that was not accepted', { stage: { kind: 'rejected', message: 'no' } }, 'failed'],
  [
    'whose card Slack refused',
    { stage: { kind: 'card_failed', reason: 'is_archived', thread: null } },
    'failed',
  ],
  ['of an unclear start', { stage: { kind: 'create_unknown', callId: 'call-1' } }, 'unclear'],
  ['that was archived with its pull request', { stage: ended('archived'), announcedPrLink: PR }, 'ready'],
  ['that was archived without one', { stage: ended('archived') }, null],
  ['that nobody watches any more', { stage: { ...working, question: { number: 1, answer: 'stop' } } }, null],
  [
    'about which the requester is asked first',
    { stage: { kind: 'awaiting_confirmation', sameAsJobId: 'job-0', thread: null } },
    null,
  ],
])('the message that asked for a job %s', (_what, facts, reaction) => {
  expect(stateReactionOf(aJob({ requestTs: '1.000001', ...facts }))).toBe(reaction);
  expect(stateReactionOf(aJob(facts))).toBeNull();
});
