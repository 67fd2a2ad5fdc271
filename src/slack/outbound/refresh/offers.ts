import { applyEvent } from '../../../engine/apply-event.ts';
import { factsOf } from '../../../engine/tools.ts';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { Offer, OfferOutcome } from '../../../jobs/offer.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import { mentionedUserIds } from '../../protocol/slack-text.ts';
import { settledView } from '../../views/thread/settled.ts';
import { failureOf, refresh } from './refresh.ts';

/** A message whose offer is settled, and does not show it yet. */
interface Stale {
  readonly postId: string;
  readonly ts: string;
  readonly announcement: Announcement;
  readonly outcome: OfferOutcome;
}

interface Offers {
  readonly lease: ClaimedTask['lease'];
  readonly job: Job;
  readonly stale: readonly Stale[];
  /** Posts that are not in the thread. */
  readonly unposted: readonly string[];
}

/** Replaces used buttons, in the messages that offered them, by who decided what. */
export const refreshOffers = refresh<Offers>({
  load: (tools, task) => tools.store.transaction((tx) => loadOffers(tx, task)),
  show: async (tools, { job, stale }) => {
    const { poster, names } = await tools.workspaces.of(job.teamId);
    const deciders = stale.flatMap(({ outcome: { by } }) => (by === null ? [] : [by]));
    const known = await names.named([...deciders, ...mentionedUserIds(job.prompt)]);
    for (const { postId, ts, announcement, outcome } of stale) {
      const failure = await failureOf(
        () => poster.update(job.channelId, ts, settledView(announcement, job, outcome, known), postId),
        (reason) => tools.log.warn('offer_not_refreshed', { ...factsOf(job), reason }),
      );
      if (failure !== null) return failure;
    }
    return null;
  },
  shown: async (tx, { lease, job, stale, unposted }, context) => {
    const postIds = [...stale.map(({ postId }) => postId), ...unposted];
    await tx.tasks.fence(lease);
    if (postIds.length > 0) await applyEvent(tx, job.id, { type: 'offers_shown', postIds }, context);
  },
});

async function loadOffers(tx: Transaction, task: ClaimedTask): Promise<Offers | null> {
  await tx.tasks.fence(task.lease);
  const job = await tx.jobs.get(task.subject);
  if (job === null) {
    await tx.tasks.complete(task.lease);
    return null;
  }
  const stale: Stale[] = [];
  const unposted: string[] = [];
  for (const { postId, outcome } of settled(job.offers ?? [])) {
    const call = await tx.calls.get(postId);
    if (call?.request.kind !== 'announce') continue;
    const { announcement } = call.request;
    const ts = await tx.calls.postedTs(postId);
    if (ts !== null) stale.push({ postId, ts, announcement, outcome });
    else if (call.state === 'failed' || call.state === 'unknown') unposted.push(postId);
    // The others will be refreshed when they are posted.
  }
  return { lease: task.lease, job, stale, unposted };
}

function settled(offers: readonly Offer[]) {
  return offers.flatMap(({ postId, outcome, isShown }) =>
    outcome === null || isShown ? [] : [{ postId, outcome }],
  );
}
