import type { Fate } from '../announcement.ts';
import type { Dropped } from '../draft.ts';
import type { FollowUpState } from '../follow-ups/follow-up.ts';
import type { Job } from '../job.ts';
import { fateOf } from './starts.ts';

/** A person's action, as a line of an audit. Printed as is. */
export interface AuditLine {
  readonly at: string;
  readonly team_id: string;
  /** Null: nobody's. */
  readonly user_id: string | null;
  readonly action: 'start' | 'reply' | Recorded['action'];
  /** How it was asked for, which button it was, or what was refused. */
  readonly source: string;
  readonly job_id: string | null;
  /** For starts and replies: their outcome so far. */
  readonly outcome: string;
  /** For starts and replies: what people wrote, as Slack delivered it. */
  readonly text?: string;
}

/** What leaves no other trace, and is recorded for the audit. */
export interface Recorded {
  readonly atMs: number;
  readonly teamId: string;
  /** Null: nobody, as with a workflow that starts by itself. */
  readonly userId: string | null;
  readonly action: 'press' | 'setting' | 'refusal';
  readonly source: string;
  readonly jobId: string | null;
  readonly outcome: string;
}

export function recordedLine({
  atMs,
  teamId,
  userId,
  action,
  source,
  jobId,
  outcome,
}: Omit<Recorded, 'action'> & Pick<AuditLine, 'action'>): AuditLine {
  return {
    at: new Date(atMs).toISOString(),
    team_id: teamId,
    user_id: userId,
    action,
    source,
    job_id: jobId,
    outcome,
  };
}

export function startLine(job: Job, withText: boolean): AuditLine {
  const { id: jobId, teamId, requesterId: userId, requestedAtMs: atMs, prompt: text } = job;
  const source = job.watchedAgentJobId === null ? job.origin.kind : 'watch';
  const line = recordedLine({
    atMs,
    teamId,
    userId,
    action: 'start',
    source,
    jobId,
    outcome: outcomeOf(job),
  });
  return { ...line, ...(withText && { text }) };
}

export interface AuditedReply {
  readonly writtenAtMs: number;
  readonly teamId: string;
  readonly userId: string;
  readonly jobId: string;
  readonly state: FollowUpState;
  readonly text: string;
}

export function replyLine(
  { writtenAtMs: atMs, state, text, ...reply }: AuditedReply,
  withText: boolean,
): AuditLine {
  const line = recordedLine({ ...reply, atMs, action: 'reply', source: 'thread', outcome: state });
  return { ...line, ...(withText && { text }) };
}

/** `asked`: its requester is asked first. `no_card`: Slack refused the card. */
function outcomeOf(job: Job): Fate | 'asked' | 'no_card' | 'draft' | Dropped['why'] {
  const { stage } = job;
  switch (stage.kind) {
    case 'awaiting_confirmation':
      return 'asked';
    case 'card_failed':
      return 'no_card';
    case 'draft':
      return 'draft';
    case 'dropped':
      return stage.why;
    default:
      return fateOf(job) ?? 'open';
  }
}
