import { applyEvent, factsOf, policyOf, sitesOf } from '#engine/apply-event.ts';
import type { DueCall } from '#engine/run-lane.ts';
import { announces } from '#jobs/agent-job.ts';
import { type Announcement, announcedLink, offerOf } from '#jobs/announcement.ts';
import type { CallRequest } from '#jobs/call.ts';
import { emptyQueue, type Queue, queueOf } from '#jobs/follow-ups/follow-up.ts';
import { turnsOf } from '#jobs/follow-ups/turns.ts';
import { endedByOf, type Job, type OfferOutcome, requestersOf, threadOrFormerOf } from '#jobs/job.ts';
import { seenPullRequest } from '#jobs/pull-requests/pull-request.ts';
import { MAX_STALE_RECEIPTS } from '#store/queries/follow-ups.ts';
import { receiptEmoji, threadLink } from '../protocol/ids.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { announcementView, namedInDraft, recipePausedView } from '../views/announcement.ts';
import { questionView } from '../views/compose.ts';
import { cardView, type Reader } from '../views/job.ts';
import { messageOfJob, type SlackMessage } from '../views/message.ts';
import {
  ephemeralView,
  notPostedView,
  requestNotPostedView,
  withSendButton,
} from '../views/private-answers.ts';
import { helpView, JOBS_PER_PAGE, listView, statusView } from '../views/status.ts';
import { isDirectMessage } from '../views/text.ts';
import { noticeView, privateNoticeView } from '../views/turn-ended.ts';
import { failureIn } from '../workspace/caller.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { refresh, type SlackTools } from './refresh.ts';

async function renderCard(tools: SlackTools, { names }: Workspace, job: Job, queue: Queue) {
  const people = [requestersOf(job), endedByOf(job) ?? [], mentionedIds(job.prompt)].flat();
  return cardView(job, { queue, names: await names.named(people), sites: sitesOf(tools) });
}

/** @param isEdit throws while Slack can't say whether the prompt is public; a new notice omits it */
async function renderNotice(
  tools: SlackTools,
  workspace: Workspace,
  job: Job,
  { channelId, url }: Extract<CallRequest, { kind: 'notify_channel' }>,
  isEdit: boolean,
): Promise<SlackMessage> {
  const sites = sitesOf(tools);
  if (job.channelId !== channelId && !(await mayBeReadByAll())) return privateNoticeView(job, url, sites);
  const names = await workspace.names.named([...requestersOf(job), ...mentionedIds(job.prompt)]);
  const thread = threadLink(workspace.workspaceUrl, job.channelId, job.threadTs);
  return noticeView(job, url, thread, names, sites);

  async function mayBeReadByAll() {
    const { id, channelId } = job;
    try {
      return !isDirectMessage(channelId) && (await workspace.poster.isPublic(channelId));
    } catch (error) {
      const { code: reason, outcome, needsAdmin } = failureIn(error);
      if (isEdit && outcome !== 'refused' && !needsAdmin) throw error;
      if (!isEdit) tools.log.info('channel_taken_for_private', { job_id: id, channel_id: channelId, reason });
      return false;
    }
  }
}

/** Slack's limit covers edits of all messages. */
const CARD_SPACING_MS = 3_000;

export const refreshCard = refresh(
  async (tx, { subject, lease }, { clock, newContext }) => {
    const state = await tx.jobs.readUnlocked(subject);
    if (state === null || state.job.cardTs === null) return null;
    const { cardDrawnAtMs: lastMs } = state;
    const nowMs = clock.now();
    // Another replica's clock may be fast. If far ahead, ours was set back.
    if (lastMs !== null && Math.abs(nowMs - lastMs) < CARD_SPACING_MS) {
      await tx.tasks.delayUntil(lease, lastMs + CARD_SPACING_MS);
      return 'later';
    }
    const [job = state.job] = await tx.readBudget.shown([state.job], nowMs);
    // The agent isn't asked before then.
    const againAtMs = job === state.job ? null : (job.trouble?.retryAtMs ?? null);
    const queue = queueOf(state, policyOf(state, newContext()), nowMs);
    return { job, cardTs: state.job.cardTs, queue, againAtMs };
  },
  async (tools, { job, cardTs, queue, againAtMs }, { failureOf }) => {
    tools.show(job, false);
    const workspace = await tools.workspaces.of(job.teamId);
    const card = await renderCard(tools, workspace, job, queue);
    const failure = await failureOf(
      () => workspace.poster.update(job.channelId, cardTs, card),
      (reason) => tools.log.warn('card_not_refreshed', { ...factsOf(job), reason }),
    );
    // Slack may have edited it at any time until now.
    return { failure, note: (tx, { nowMs }) => tx.jobs.cardDrawn(job.id, nowMs), againAtMs };
  },
);

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
      ...(announcement.kind === 'draft' ? namedInDraft(announcement, job) : []),
      ...(outcome?.by ? [outcome.by] : []),
    ]);
    const thread = {
      names: await names.named([...people, ...mentionedIds(job.prompt)]),
      sites: sitesOf(tools),
      features: tools.featureViews,
    };
    for (const { id, ts, announcement, outcome } of stale) {
      const view = announcementView(announcement, job, thread, outcome);
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

/** Null: a private message. */
export function destinationOf(job: Job, request: CallRequest) {
  const { channelId, threadTs } = job;
  switch (request.kind) {
    case 'announce':
      if (request.announcement.kind === 'draft') {
        return { channelId, threadTs: request.announcement.threadTs };
      }
      return { channelId, threadTs: threadOrFormerOf(job) };
    case 'post_card':
      return { channelId, threadTs };
    case 'tell_paused':
      return { channelId, threadTs: null };
    case 'notify_channel':
      return { channelId: request.channelId, threadTs: null };
    default:
      return null;
  }
}

export async function renderPost(
  tools: SlackTools,
  { call: { request }, job, saved }: DueCall,
  workspace: Workspace,
): Promise<SlackMessage> {
  const named = () => workspace.names.named([...actorsIn(request, job), ...mentionedIds(job.prompt)]);
  const announced = async (announcement: Announcement) =>
    announcementView(announcement, job, {
      names: await named(),
      mode: policyOf({ job, saved }, tools.newContext()).followUpMode,
      sites: sitesOf(tools),
      features: tools.featureViews,
    });
  switch (request.kind) {
    case 'post_card':
      return renderCard(tools, workspace, job, emptyQueue);
    case 'announce':
      return announced(request.announcement);
    case 'notify_channel':
      return renderNotice(tools, workspace, job, request, false);
    case 'tell_paused':
      return recipePausedView(request.recipe, job.owners ?? []);
    case 'ephemeral':
      return messageOfJob(job, await named(), (await renderEphemeral(tools, workspace, request, job)).blocks);
    case 'notify_requester': {
      const { reason, about, isKept } = request;
      if (about === 'asked_before') return renderQuestion(tools, workspace, job);
      return typeof about === 'string'
        ? requestNotPostedView(about, reason, job, await named())
        : notPostedView(reason, job, await announced(about), isKept);
    }
    default:
      throw new Error(`${request.kind} is not a post`);
  }
}

async function renderQuestion(tools: SlackTools, { workspaceUrl }: Workspace, job: Job) {
  const { stage } = job;
  const sameAsId = stage.kind === 'awaiting_confirmation' ? stage.sameAsJobId : null;
  const sameAs = sameAsId === null ? null : await tools.store.transaction((tx) => tx.jobs.get(sameAsId));
  const canStop = announces(tools.known.agent(job.projectId), 'cancel');
  const permalink = sameAs && threadLink(workspaceUrl, sameAs.channelId, sameAs.threadTs);
  return questionView({ job, sameAs }, permalink, canStop);
}

async function renderEphemeral(
  tools: SlackTools,
  { workspaceUrl, names }: Workspace,
  { userId, notice }: Extract<CallRequest, { kind: 'ephemeral' }>,
  job: Job,
): Promise<SlackMessage> {
  const { store, clock, known } = tools;
  const { teamId, channelId } = job;
  const sites = sitesOf(tools);
  const nowMs = clock.now();
  const reader = async (texts: readonly string[]): Promise<Reader> => {
    return { userId, channelId, workspaceUrl, names: await names.of(texts.join('\n')), sites };
  };
  switch (notice.kind) {
    case 'help':
      return withSendButton(helpView(null), job, notice.messageTs);
    case 'list': {
      const page = await store.transaction(async (tx) => {
        const found = await tx.lists.page({ teamId, userId, channelId }, null, JOBS_PER_PAGE);
        return { ...found, jobs: await tx.readBudget.shown(found.jobs, nowMs) };
      });
      const view = listView(page, await reader(page.jobs.map(({ prompt }) => prompt)));
      return withSendButton(view, job, notice.messageTs);
    }
    case 'details':
    case 'status': {
      const [turns, unsent] = await store.transaction(async (tx) => {
        const found = await tx.jobs.readUnlocked(job.id);
        return [turnsOf(await tx.lists.callsOf(job.id)), found?.followUps ?? []] as const;
      });
      const texts = [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)];
      const view = statusView({ job, turns, unsent }, await reader(texts));
      return withSendButton(view, job, notice.messageTs);
    }
    default: {
      const canStop = announces(known.agent(job.projectId), 'cancel');
      return ephemeralView({ ...notice, kind: notice.kind }, job, { nowMs, sites, canStop });
    }
  }
}

function actorsIn(request: CallRequest, job: Job) {
  const about = request.kind === 'notify_requester' ? request.about : null;
  const announcement = request.kind === 'announce' ? request.announcement : about;
  if (typeof announcement !== 'object' || announcement === null) return [];
  if (announcement.kind === 'draft') return namedInDraft(announcement, job);
  return 'userId' in announcement && announcement.userId !== null ? [announcement.userId] : [];
}
