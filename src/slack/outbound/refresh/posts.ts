import { applyEvent, factsOf, sitesOf } from '../../../engine/apply-event.ts';
import { type Announcement, announcedLink, offerOf } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { OfferOutcome } from '../../../jobs/offer.ts';
import { seenPullRequest } from '../../../jobs/pull-requests/pull-request.ts';
import type { Transaction } from '../../../store/store.ts';
import { mentionedIds } from '../../protocol/slack-text.ts';
import { namedInDraft } from '../../views/thread/draft.ts';
import { postedView } from '../../views/thread/settled.ts';
import { renderNotice } from '../render.ts';
import { refresh } from './refresh.ts';

/** A message of the thread, and what it should show. */
interface Post {
  readonly postId: string;
  readonly ts: string;
  readonly announcement: Announcement;
  /** Of its offer; null: still open, or none. */
  readonly outcome: OfferOutcome | null;
}

/** The job dropped it for newer ones. */
const DROPPED: OfferOutcome = { deed: 'moot', by: null };

/**
 * Updates a thread's messages: who decided replaces used buttons, and a pull request is shown as its code
 * host describes it. One task for both, so that neither undoes the other.
 */
export const refreshPosts = refresh(
  async (tx, task) => {
    await tx.tasks.fence(task.lease);
    const job = await tx.jobs.get(task.subject);
    if (job === null) return null;
    const { stale: changed, settled } = await loadSettled(tx, job);
    const stale = [...changed, ...(await loadDraft(tx, job))];
    const shown = new Set(stale.map(({ postId }) => postId));
    const described = (await loadDescribed(tx, job)).filter(({ postId }) => !shown.has(postId));
    return { job, stale: [...stale, ...described], settled };
  },
  async (tools, { job, stale, settled: postIds }, { note, failureOf }) => {
    const { poster, names } = await tools.workspaces.of(job.teamId);
    const deciders = stale.flatMap(({ outcome }) => outcome?.by ?? []);
    const drafters = stale.flatMap(({ announcement }) =>
      announcement.kind === 'draft' ? namedInDraft(announcement, job) : [],
    );
    const known = await names.named([...deciders, ...drafters, ...mentionedIds(job.prompt)]);
    const sites = sitesOf(tools);
    for (const { postId, ts, announcement, outcome } of stale) {
      const failure = await failureOf(
        () => poster.update(job.channelId, ts, postedView(announcement, job, outcome, known, sites), postId),
        (reason) => tools.log.warn('post_not_refreshed', { ...factsOf(job), reason }),
      );
      if (failure !== null) return failure;
    }
    note(async (tx, context) => {
      if (postIds.length > 0) await applyEvent(tx, job.id, { type: 'offers_shown', postIds }, context);
    });
    return null;
  },
);

/** Messages with settled offers that still show buttons; `settled`: also those missing from the thread. */
async function loadSettled(tx: Transaction, { offers = [] }: Job) {
  const stale: Post[] = [];
  const unposted: string[] = [];
  for (const { postId, outcome, isShown } of offers) {
    if (outcome === null || isShown) continue;
    const call = await tx.calls.get(postId);
    if (call?.request.kind !== 'announce') continue;
    const { announcement } = call.request;
    const ts = await tx.calls.postedTs(postId);
    if (ts !== null) stale.push({ postId, ts, announcement, outcome });
    else if (call.state === 'failed' || call.state === 'unknown') unposted.push(postId);
    // The others are refreshed once they are posted.
  }
  return { stale, settled: [...stale.map(({ postId }) => postId), ...unposted] };
}

/** A draft's message, which says how many replies go along. */
async function loadDraft(tx: Transaction, { stage, offers = [] }: Job): Promise<Post[]> {
  if (stage.kind !== 'draft' || stage.postTs === null) return [];
  const { number, postTs: ts } = stage;
  const offer = offers.find(({ about }) => about.kind === 'draft' && about.number === number);
  const call = offer === undefined ? null : await tx.calls.get(offer.postId);
  if (call?.request.kind !== 'announce') return [];
  return [{ postId: call.id, ts, announcement: call.request.announcement, outcome: null }];
}

/** Messages about a pull request that its code host has described. */
async function loadDescribed(tx: Transaction, job: Job): Promise<Post[]> {
  if (job.pullRequests === undefined) return [];
  const posts = await tx.calls.posted(job.id, 'announce');
  return posts.flatMap(({ id: postId, request: { announcement }, ts }) => {
    const url = announcedLink(announcement);
    if (url === null || seenPullRequest(job, url) === null) return [];
    return [{ postId, ts, announcement, outcome: outcomeOf(job, postId, announcement) }];
  });
}

function outcomeOf(job: Job, postId: string, announcement: Announcement): OfferOutcome | null {
  if (offerOf(announcement, job) === null) return null;
  const offer = job.offers?.find((one) => one.postId === postId);
  return offer === undefined ? DROPPED : offer.outcome;
}

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
      if (failure !== null) return failure;
    }
    return null;
  },
);
