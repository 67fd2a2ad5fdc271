import { applyEvent, factsOf, sitesOf } from '#engine/apply-event.ts';
import { announcedLink, offerOf } from '#jobs/announcement.ts';
import type { OfferOutcome } from '#jobs/job.ts';
import { seenPullRequest } from '#jobs/pull-requests/pull-request.ts';
import { MAX_STALE_RECEIPTS } from '#store/queries/follow-ups.ts';
import { receiptEmoji } from '../protocol/ids.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { postedView } from '../views/announcement.ts';
import { namedInDraft } from '../views/draft.ts';
import { refresh } from './refresh.ts';
import { renderNotice } from './render.ts';

const DROPPED: OfferOutcome = { answer: 'moot', by: null };

/** One task: separate updates would overwrite each other. */
export const refreshPosts = refresh(
  async (tx, { subject, lease }) => {
    await tx.tasks.fence(lease);
    const job = await tx.jobs.get(subject);
    if (job === null) return null;
    const { offers = [], stage } = job;
    const decided = new Set(offers.flatMap((one) => (one.outcome === null || one.isShown ? [] : one.postId)));
    const stale = (await tx.calls.posted(job.id, 'announce')).flatMap(({ id, request, ts }) => {
      const { announcement } = request;
      const url = announcedLink(announcement);
      const isStale =
        decided.has(id) ||
        (stage.kind === 'draft' && stage.postTs === ts) ||
        (url !== null && seenPullRequest(job, url) !== null);
      if (!isStale) return [];
      const isOffer = decided.has(id) || offerOf(announcement, job) !== null;
      const offer = offers.find(({ postId }) => postId === id) ?? { outcome: DROPPED };
      return { id, ts, announcement, outcome: isOffer ? offer.outcome : null };
    });
    const postIds: string[] = [];
    for (const id of decided) {
      const state = (await tx.calls.get(id))?.state ?? 'pending';
      if (state !== 'pending' && state !== 'started') postIds.push(id);
    }
    return { job, stale, postIds };
  },
  async (tools, { job, stale, postIds }, { failureOf }) => {
    const { poster, names } = await tools.workspaces.of(job.teamId);
    const people = stale.flatMap(({ announcement, outcome }) => [
      ...(outcome?.by ? [outcome.by] : []),
      ...(announcement.kind === 'draft' ? namedInDraft(announcement, job) : []),
    ]);
    const thread = {
      names: await names.named([...people, ...mentionedIds(job.prompt)]),
      sites: sitesOf(tools),
      features: tools.featureViews,
    };
    for (const { id, ts, announcement, outcome } of stale) {
      const view = postedView(announcement, job, outcome, thread);
      const failure = await failureOf(
        () => poster.update(job.channelId, ts, view, id),
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

export const refreshNotice = refresh(
  async (tx, { subject: lane, lease }) => {
    await tx.tasks.fence(lease);
    const [, jobId = ''] = lane.split(':');
    const job = await tx.jobs.get(jobId);
    if (job === null) return null;
    const notices = await tx.calls.posted(jobId, 'notify_channel');
    const stale = notices.filter(
      (notice) => notice.lane === lane && seenPullRequest(job, notice.request.url) !== null,
    );
    return { job, stale };
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

export const refreshReceipts = refresh(
  async (tx, { subject, lease }) => {
    await tx.tasks.fence(lease);
    const found = await tx.followUps.withStaleReceipts(subject);
    const job = found.length === 0 ? null : await tx.jobs.get(subject);
    if (job === null) return null;
    // On the request's own message, a receipt would look like a comment.
    const stale = found.map((one) => (one.messageTs === job.requestTs ? { ...one, desired: null } : one));
    // Recorded first: even without Slack's answer, it must be removed later.
    for (const { followUpId, placed, desired } of stale) {
      await tx.followUps.receiptsTried(followUpId, desired === null ? placed : [...placed, desired]);
    }
    return { job, stale };
  },
  async ({ workspaces, log }, { job, stale }, { isSure, failureOf }) => {
    const { teamId, channelId } = job;
    const { poster } = await workspaces.of(teamId);
    const attempts = stale.map(async ({ followUpId, messageTs, placed, desired }) => {
      const react = async () => {
        if (desired !== null) await poster.addReaction(channelId, messageTs, receiptEmoji[desired]);
        for (const other of placed) {
          if (other !== desired) await poster.removeReaction(channelId, messageTs, receiptEmoji[other]);
        }
      };
      const facts = { ...factsOf(job), follow_up_id: followUpId };
      const failure = await failureOf(react, (reason) => log.warn('receipt_not_shown', { ...facts, reason }));
      return { followUpId, desired, failure };
    });
    const made = await Promise.all(attempts);
    const failures = made.flatMap(({ failure }) => failure ?? []);
    const failure = failures.find(({ outcome }) => outcome === 'unknown') ?? failures[0] ?? null;
    // An earlier request may still arrive.
    if (!isSure) return { failure };
    return {
      failure,
      note: async (tx, { nowMs }) => {
        // In the order in which others write replies, or Postgres could deadlock.
        for (const { followUpId, desired, failure: own } of made) {
          if (own === null) await tx.followUps.receiptShown(followUpId, desired);
        }
        if (stale.length < MAX_STALE_RECEIPTS) return;
        const more = { kind: 'refresh_receipts', subject: job.id, runAtMs: nowMs } as const;
        await tx.tasks.schedule({ ...more, ifScheduled: 'replace' });
      },
    };
  },
);
