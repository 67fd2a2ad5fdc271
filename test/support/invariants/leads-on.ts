import { initiatorOf, isUnwatched, type Job, type Stage } from '../../../src/jobs/job.ts';
import type { CallRow, FollowUpRow, JobRows } from './rows.ts';

/** Something leads on. */
export function isAlive(rows: JobRows): boolean {
  const { job, tasks, calls } = rows;
  const { stage, id } = job;
  const alive: Readonly<Record<Stage['kind'], () => boolean>> = {
    awaiting_confirmation: () => true,
    draft: () => tasks.includes(`expire_draft:${id}`),
    dropped: () => true,
    opening: () => openCalls(rows, 'post_card').length > 0,
    card_failed: () =>
      initiatorOf(job) === null || calls.some(({ request }) => request.kind === 'notify_requester'),
    creating: () => openCalls(rows, 'create_job').length > 0 || tasks.includes(`read_snippets:${id}`),
    create_unknown: () => stage.kind === 'create_unknown' && isAskedAbout(rows, stage.callId),
    rejected: () => calls.some(({ request }) => request.kind === 'announce'),
    working: () => isUnwatched(job) || tasks.includes(`check_job:${id}`),
    ended: () => true,
  };
  return alive[stage.kind]();
}

/** Where replies wait for what becomes of the request. */
const BEFORE_AGENT: readonly Stage['kind'][] = [
  'awaiting_confirmation',
  'draft',
  'opening',
  'creating',
  'create_unknown',
];

/** Its way has an end. */
export function isMoving({ state, callId, id, hasSnippets }: FollowUpRow, rows: JobRows): boolean {
  const { job, calls, followUps, tasks } = rows;
  switch (state) {
    case 'waiting':
      if (hasSnippets || tasks.includes(`read_snippets:${job.id}`)) return true;
      if (job.agentJob === null) return BEFORE_AGENT.includes(job.stage.kind);
      return (
        tasks.includes(`send_follow_ups:${job.id}`) || followUps.some((other) => other.state === 'sending')
      );
    case 'sending':
      return calls.some((call) => call.id === callId && call.endedAt === null);
    case 'not_sent':
    case 'unknown':
      if (callId === null) return job.stage.kind === 'card_failed' || job.stage.kind === 'opening';
      return callId === id || isAskedAbout(rows, callId);
    default:
      return true;
  }
}

/** A message says what became of the call, or the call is one to stop the agent, whose end says it. */
function isAskedAbout({ calls }: JobRows, callId: string): boolean {
  return calls.some(
    ({ id, request }) =>
      (id === callId && request.kind === 'cancel_job') ||
      (request.kind === 'announce' &&
        'callId' in request.announcement &&
        request.announcement.callId === callId),
  );
}

/** Its own button, or the one that sends all again. */
export function isOffered({ offers = [] }: Job, callId: string): boolean {
  return offers.some(
    ({ about, outcome }) =>
      outcome === null && 'callId' in about && (about.callId === callId || about.callId === null),
  );
}

export function openCalls({ calls }: JobRows, kind: CallRow['kind']): CallRow[] {
  return calls.filter((call) => call.kind === kind && call.endedAt === null);
}
