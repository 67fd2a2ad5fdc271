import { applyEvent, factsOf, sitesOf } from '../../../engine/apply-event.ts';
import { announcedLink, offerOf } from '../../../jobs/announcement.ts';
import type { OfferOutcome } from '../../../jobs/offer.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import { mentionedIds } from '../../protocol/slack-text.ts';
import { namedInDraft } from '../../views/thread/draft.ts';
import { postedView } from '../../views/thread/settled.ts';
import { renderNotice } from '../render.ts';
import { refresh } from './refresh.ts';

/** The job dropped it for newer ones. */
const DROPPED: OfferOutcome = { deed: 'moot', by: null };

/**
 * Updates a thread's messages: who decided replaces used buttons, a draft says how many replies go along, and
 * a pull request is shown as its code host describes it. One task for all, so that none undoes another.
 */
export const refreshPosts = refresh(
  async (tx, task) => {
    await tx.tasks.fence(task.lease);
    const job = await tx.jobs.get(task.subject);
    if (job === null) return null;
    const { offers = [], stage } = job;
    const toShow = new Set(offers.flatMap((one) => (one.outcome === null || one.isShown ? [] : one.postId)));
    const stale = (await tx.calls.posted(job.id, 'announce')).flatMap(({ id, request, ts }) => {
      const { announcement } = request;
      const offer = offers.find(({ postId }) => postId === id);
      const url = announcedLink(announcement);
      const isStale =
        toShow.has(id) ||
        (stage.kind === 'draft' && stage.postTs === ts) ||
        (url !== null && seenPullRequest(job, url) !== null);
      if (!isStale) return [];
      const isOffer = toShow.has(id) || offerOf(announcement, job) !== null;
      const outcome = isOffer ? (offer ?? { outcome: DROPPED }).outcome : null;
      return { id, ts, announcement, outcome };
    });
    const shown: string[] = [];
    for (const id of toShow) {
      const call = await tx.calls.get(id);
      // The others are refreshed once they are posted.
      if (call !== null && call.state !== 'pending' && call.state !== 'started') shown.push(id);
    }
    return { job, stale, shown };
  },
  async (tools, { job, stale, shown: postIds }, { failureOf }) => {
    const { poster, names } = await tools.workspaces.of(job.teamId);
    const people = stale.flatMap(({ announcement, outcome }) => [
      ...(outcome?.by ? [outcome.by] : []),
      ...(announcement.kind === 'draft' ? namedInDraft(announcement, job) : []),
    ]);
    const known = await names.named([...people, ...mentionedIds(job.prompt)]);
    const sites = sitesOf(tools);
    for (const { id, ts, announcement, outcome } of stale) {
      const failure = await failureOf(
        () => poster.update(job.channelId, ts, postedView(announcement, job, outcome, known, sites), id),
        (reason) => tools.log.warn('post_not_refreshed', { ...factsOf(job), reason }),
      );
      if (failure !== null) return { failure };
    }
    return {
      failure: null,
      note: async (tx, context) => {
        if (postIds.length > 0) await applyEvent(tx, job.id, { type: 'offers_shown', postIds }, context);
      },
    };
  },
);

/** Updates a job's notices in one channel with what the code host says. */
export const refreshNotice = refresh(
  async (tx, { subject: lane, lease }) => {
    await tx.tasks.fence(lease);
    const [, jobId = ''] = lane.split(':');
    const job = await tx.jobs.get(jobId);
    if (job === null) return null;
    const notices = await tx.calls.posted(jobId, 'notify_channel');
    const isStale = (notice: (typeof notices)[number]) =>
      notice.lane === lane && seenPullRequest(job, notice.request.url) !== null;
    return { job, stale: notices.filter(isStale) };
  },
  async (tools, { job, stale }, { failureOf }) => {
    const workspace = await tools.workspaces.of(job.teamId);
    for (const { id, request, ts } of stale) {
      const { channelId } = request;
      const edit = async () => {
        const message = await renderNotice(tools, workspace, job, request, true);
        await workspace.poster.update(channelId, ts, message, id);
      };
      const failure = await failureOf(edit, (reason) =>
        tools.log.warn('notice_not_refreshed', { ...factsOf(job), channel_id: channelId, reason }),
      );
      if (failure !== null) return { failure };
    }
    return { failure: null };
  },
);
