import type { Job } from '../../jobs/job.ts';
import { type StateReaction, stateReactionOf } from '../../jobs/shown/state-reaction.ts';
import { jobFrom, Table } from '../schema/tables.ts';
import { prepared, type Values } from './prepared.ts';

export interface StaleReaction {
  readonly job: Job;
  /** Reactions that were added, or may have been. */
  readonly placed: readonly StateReaction[];
  /** Null: none. */
  readonly desired: StateReaction | null;
}

const reactionOf = prepared((db, { jobId }: Values<{ jobId: string }>) =>
  db
    .selectFrom('job')
    .select(['data', 'number', 'reaction_shown', 'reactions_tried'])
    .where('id', '=', jobId)
    .forNoKeyUpdate(),
);

const setTried = prepared((db, { jobId, tried }: Values<{ jobId: string; tried: string }>) =>
  db.updateTable('job').set({ reactions_tried: tried }).where('id', '=', jobId),
);

const setLeft = prepared((db, { jobId, left }: Values<{ jobId: string; left: string }>) =>
  db.updateTable('job').set({ reaction_shown: null, reactions_tried: left }).where('id', '=', jobId),
);

const setShown = prepared(
  (db, { jobId, shown }: Values<{ jobId: string; shown: StateReaction | 'refused' | null }>) =>
    db.updateTable('job').set({ reaction_shown: shown, reactions_tried: '' }).where('id', '=', jobId),
);

/** What the messages that asked for jobs show of them. */
export class StateReactions extends Table {
  /** Null if the message shows exactly the reaction of its job's state, or takes none, or the job is gone. */
  async stale(jobId: string): Promise<StaleReaction | null> {
    const row = await reactionOf.first(this.db, { jobId });
    if (row === undefined || row.reaction_shown === 'refused') return null;
    const job = jobFrom(row);
    const desired = stateReactionOf(job);
    if (row.reactions_tried === '' && row.reaction_shown === desired) return null;
    const tried = row.reactions_tried === '' ? [] : (row.reactions_tried.split(',') as StateReaction[]);
    const placed = [...new Set(row.reaction_shown === null ? tried : [row.reaction_shown, ...tried])];
    return { job, placed, desired };
  }

  /** Records which reactions may be on the message from now on; it is stale until one is confirmed. */
  async tried(jobId: string, reactions: readonly StateReaction[]): Promise<void> {
    await setTried.change(this.db, { jobId, tried: reactions.join(',') });
  }

  /** Records that the message has no others than these, if it has them. It stays stale, so there must be one. */
  async left(jobId: string, reactions: readonly StateReaction[]): Promise<void> {
    await setLeft.change(this.db, { jobId, left: reactions.join(',') });
  }

  /** Records that the message has this reaction (null: none) and no other; or that Slack takes none there. */
  async shown(jobId: string, shown: StateReaction | 'refused' | null): Promise<void> {
    await setShown.change(this.db, { jobId, shown });
  }
}
