import type { Job, Stage } from '../job.ts';

/** How the job stands, as a reaction at the message that asked for it. */
export type StateReaction = 'taken' | 'working' | 'ready' | 'failed' | 'unclear';

/** Null: none, as nothing of the five is true, or no message asked for the job. */
export function stateReactionOf(job: Job): StateReaction | null {
  return job.requestTs === undefined ? null : reactionAt(job.stage, job.announcedPrLink !== null);
}

function reactionAt(stage: Stage, hasPullRequest: boolean): StateReaction | null {
  switch (stage.kind) {
    case 'awaiting_confirmation':
    case 'draft':
    case 'dropped':
      return null;
    case 'opening':
    case 'creating':
      return 'taken';
    case 'working':
      // The agent may go on, but nobody looks.
      return stage.question?.answer === 'stop' ? null : 'working';
    case 'create_unknown':
      return 'unclear';
    case 'card_failed':
    case 'rejected':
      return 'failed';
    case 'ended':
      return endings(hasPullRequest)[stage.status];
  }
}

type Ending = Extract<Stage, { kind: 'ended' }>['status'];

function endings(hasPullRequest: boolean): Readonly<Record<Ending, StateReaction | null>> {
  return {
    completed: 'ready',
    failed: 'failed',
    vanished: 'failed',
    archived: hasPullRequest ? 'ready' : null,
  };
}
