import { factsOf } from '../../../engine/tools.ts';
import type { ClaimedTask, StaleReaction } from '../../../store/store.ts';
import { stateEmoji } from '../../protocol/emoji.ts';
import { isHopeless, type SlackTools } from '../slack-tools.ts';
import { react } from './react.ts';
import { failureOf, refresh } from './refresh.ts';

/** Brings the reaction at the message that asked for a job in line with the job as it is now. */
export const refreshReaction = refresh<StaleReaction>({
  load: loadReaction,
  show: async (tools, { job, placed, desired }, { task, isSure, note }) => {
    const { requestTs } = job;
    if (requestTs === undefined) return null;
    const instead = placed.filter((reaction) => reaction !== desired).map((reaction) => stateEmoji[reaction]);
    const removed = new Set<string>();
    const { poster } = await tools.workspaces.of(job.teamId);
    const failure = await failureOf(
      () =>
        react(poster, {
          channelId: job.channelId,
          messageTs: requestTs,
          name: desired && stateEmoji[desired],
          instead,
          onRemoved: (other) => removed.add(other),
        }),
      (reason) => tools.log.debug('reaction_not_shown', { ...factsOf(job), reason }),
    );
    const isRefused = failure !== null && isHopeless(task, failure);
    if (failure !== null && !isRefused) {
      const left = (desired === null ? placed : [...placed, desired]).filter(
        (one) => !removed.has(stateEmoji[one]),
      );
      // Within a limit, all of them may never be removed in one go.
      if (isSure && removed.size > 0) note((tx) => tx.stateReactions.left(job.id, left));
      return failure;
    }
    // As long as an earlier request may arrive, it counts as stale.
    if (isRefused || isSure) note((tx) => tx.stateReactions.shown(job.id, isRefused ? 'refused' : desired));
    return null;
  },
});

/** Records what is about to be put there: if its answer gets lost, it must be removed later. */
function loadReaction({ store }: SlackTools, { subject, lease }: ClaimedTask): Promise<StaleReaction | null> {
  return store.transaction(async (tx) => {
    await tx.tasks.fence(lease);
    const stale = await tx.stateReactions.stale(subject);
    if (stale === null) {
      await tx.tasks.complete(lease);
      return null;
    }
    const { placed, desired } = stale;
    await tx.stateReactions.tried(subject, desired === null ? placed : [...placed, desired]);
    return stale;
  });
}
