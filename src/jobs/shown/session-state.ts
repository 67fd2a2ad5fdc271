import { isUnwatched, type Job } from '../job.ts';

/** A job's state as one of the four that Slack knows for an agent's session. */
export type SessionState = 'processing' | 'suspended' | 'active' | 'closed';

/** Null: none of the four is certain, so the current one may stay. */
export function sessionStateOf(job: Job): SessionState | null {
  const { stage, agentJob, trouble } = job;
  if (isUnwatched(job)) return 'closed';
  switch (stage.kind) {
    case 'awaiting_confirmation':
    case 'draft':
    case 'dropped':
    case 'opening':
    case 'card_failed':
      return null;
    case 'create_unknown':
      return 'suspended';
    case 'rejected':
    case 'ended':
      return 'active';
    case 'creating':
    case 'working':
      if (trouble?.kind === 'needs_admin') return 'suspended';
      return stage.kind === 'working' && agentJob?.status === 'active' ? 'processing' : null;
  }
}
