import type { Fate } from '../announcement.ts';
import type { Dropped } from '../draft.ts';
import type { Job } from '../job.ts';
import { fateOf } from './starts.ts';

/** A person's action. */
export type Audited = Readonly<{
  atMs: number;
  teamId: string;
  /** Null: nobody, as with a workflow that starts by itself. */
  userId: string | null;
  action: 'start' | 'reply' | Recorded['action'];
  /** How it was asked for, which button it was, or what was refused. */
  source: string;
  jobId: string | null;
  /** For starts and replies: their outcome so far. */
  outcome: string;
  /** For starts and replies: what people wrote, as Slack delivered it. */
  text?: string;
}>;

/** What leaves no other trace, and is recorded for the audit. */
export interface Recorded extends Omit<Audited, 'action' | 'text'> {
  readonly action: 'press' | 'setting' | 'refusal';
}

export type AuditLine = ReturnType<typeof auditLine>;

/** Printed as is. */
export function auditLine(
  { atMs, teamId, userId, action, source, jobId, outcome, text }: Audited,
  withTexts: boolean,
) {
  return {
    at: new Date(atMs).toISOString(),
    team_id: teamId,
    user_id: userId,
    action,
    source,
    job_id: jobId,
    outcome,
    ...(withTexts && text !== undefined && { text }),
  };
}

export function startOf(job: Job): Audited {
  const { id: jobId, teamId, requesterId: userId, requestedAtMs: atMs, prompt: text } = job;
  const source = job.watchedAgentJobId === null ? job.origin.kind : 'watch';
  return { atMs, teamId, userId, action: 'start', source, jobId, outcome: outcomeOf(job), text };
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
