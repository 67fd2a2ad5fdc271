import { type CallRequest, createKey } from '../call.ts';
import type { EventOf } from '../event.ts';
import { firstInstruction, fittingAlong, slackTime } from '../follow-ups/follow-up.ts';
import {
  type Draft,
  type Dropped,
  initiatorOf,
  type Job,
  openStages,
  paragraphs,
  type Stage,
  type StartThread,
} from '../job.ts';
import { type Attachments, noAttachments } from '../requests/attachments.ts';
import type { UnknownProject } from '../requests/command.ts';
import { type Deciders, type Decision, DecisionBuilder, type DecisionContext } from './decision-builder.ts';
import { enqueueOrRefuse, followUpShown } from './follow-ups.ts';

const REPLIED_AFTER_MS = 2_000;

export type JobRequest = Pick<
  Job,
  'teamId' | 'channelId' | 'requesterId' | 'origin' | 'projectId' | 'projectName' | 'prompt' | 'responseUrl'
> &
  Partial<Pick<Job, 'recipe' | 'owners' | 'context' | 'requestTs'>> &
  Readonly<{
    /** Null: a new thread. */
    thread: StartThread | null;
    attachments?: Attachments;
    watchedAgentJobId?: string;
  }>;

export function openJob(request: JobRequest, context: DecisionContext): Decision {
  const builder = builderForNew(request, context);
  requestCard(builder);
  return builder.decision();
}

function builderForNew(
  { thread, attachments = noAttachments, context: said = '', ...request }: JobRequest,
  context: DecisionContext,
) {
  const job: Job = {
    watchedAgentJobId: null,
    ...request,
    context: said,
    ...attachments,
    inlined: '',
    id: context.newId(),
    number: 0,
    requestedAtMs: context.nowMs,
    threadTs: thread?.threadTs ?? null,
    cardTs: null,
    repliesAfterTs: thread?.lastTs ?? null,
    stage: { kind: 'opening' },
    creates: 0,
    messages: 0,
    turn: 1,
    agentJob: null,
    checkedAtMs: null,
    lastAnnounced: null,
    posts: 0,
    announcedPrLink: null,
    trouble: null,
    sendNotBeforeMs: null,
    watchQuestions: 0,
    cards: 0,
    hurriedMessage: null,
    muted: false,
  };
  return new DecisionBuilder({ job, followUps: [] }, context);
}

function openIn(
  builder: DecisionBuilder,
  thread: StartThread | null,
  { pressedTs, responseUrl }: EventOf<'try_again_pressed' | 'start_another_pressed'>,
) {
  const { job, nowMs } = builder;
  const untilTs = pressedTs ?? slackTime(nowMs);
  builder.change({
    stage: { kind: 'opening' },
    requestedAtMs: nowMs,
    responseUrl: responseUrl ?? job.responseUrl,
    threadTs: thread?.threadTs ?? null,
    repliesAfterTs: thread && (Number(thread.lastTs) > Number(untilTs) ? thread.lastTs : untilTs),
  });
  requestCard(builder);
}

export function drop(builder: DecisionBuilder, why: Dropped['why'], byUserId: string | null): void {
  const { stage, threadTs: formerThreadTs } = builder.job;
  const draft = stage.kind === 'draft' ? stage : null;
  const number = draft?.number ?? 0;
  const markedBy = why === 'dismissed' ? undefined : draft?.markedBy;
  builder.change({
    stage: { kind: 'dropped', number, formerThreadTs, markedBy, why, byUserId },
    threadTs: null,
    repliesAfterTs: null,
    muted: false,
    trouble: null,
  });
  // The next draft may include them: no `aside` receipt.
  const state = draft === null || why === 'dismissed' ? 'aside' : 'excluded';
  for (const followUp of builder.followUpsIn('waiting', 'not_sent')) builder.excludeFollowUp(followUp, state);
  // A draft has no card.
  if (draft === null) builder.refreshCard();
}

function requestCard(builder: DecisionBuilder) {
  const { id, repliesAfterTs } = builder.job;
  // A redelivered request may follow replies that found no job.
  const mayHaveReplies = builder.nowMs - Number(repliesAfterTs) * 1000 > REPLIED_AFTER_MS;
  if (repliesAfterTs !== null && mayHaveReplies) builder.note({ mayHaveReplies });
  const cards = builder.job.cards + 1;
  builder.change({ cards });
  builder.addCall(`card:${id}:${cards}`, { kind: 'post_card' });
}

export const startDeciders = {
  card_posted(builder, { ts }) {
    const { stage, threadTs, watchedAgentJobId, snippets, others } = builder.job;
    if (stage.kind === 'dropped') {
      builder.change({ cardTs: ts });
      builder.refreshCard();
    }
    if (stage.kind !== 'opening') return;
    const pictures = builder.picturesIn(others);
    builder.change({ cardTs: ts, threadTs: threadTs ?? ts, pictures });
    const notSent = builder.filesNotSent(others);
    if (notSent !== null) builder.announce(notSent);
    if (watchedAgentJobId !== null) watchAgentJob(builder, watchedAgentJobId);
    else if (snippets.length === 0) requestCreate(builder);
    else {
      builder.change({ stage: { kind: 'creating' } });
      builder.schedule('read_snippets');
    }
    // The card lacks what was written before it.
    if (builder.job.muted || builder.allFollowUps().length > 0) builder.refreshCard();
  },

  card_refused(builder, { reason }) {
    const { stage, threadTs, repliesAfterTs } = builder.job;
    if (stage.kind !== 'opening') return;
    const thread = threadTs === null ? null : { threadTs, lastTs: repliesAfterTs ?? threadTs };
    builder.change({ stage: { kind: 'card_failed', reason, thread }, threadTs: null });
    const waiting = builder.followUpsIn('waiting');
    if (waiting.length > 0) builder.updateFollowUps(waiting, { state: 'not_sent' });
    notifyRequester(builder, `refused:${builder.job.cards}`, reason, 'card_refused');
  },

  try_again_pressed(builder, press) {
    const { stage, cards } = builder.job;
    if (stage.kind !== 'card_failed' || press.cards !== cards) return;
    openIn(builder, stage.thread, press);
    const kept = builder.followUpsIn('not_sent').filter(({ callId }) => callId === null);
    for (const followUp of kept) enqueueOrRefuse(builder, followUp);
  },

  card_delayed(builder, { reason, waitsFor }) {
    const { stage } = builder.job;
    if (stage.kind !== 'opening') return;
    if (waitsFor !== undefined && waitsFor !== stage.waitsFor)
      builder.change({ stage: { ...stage, waitsFor } });
    notifyRequester(builder, `delayed:${builder.job.cards}`, reason, 'card_delayed');
  },

  post_delayed(builder, { callId, announcement, reason }) {
    notifyRequester(builder, callId, reason, announcement, true);
  },

  start_another_pressed(builder, press) {
    const { stage } = builder.job;
    if (stage.kind !== 'awaiting_confirmation') return;
    if (stage.unknownProject !== undefined) {
      const project = stage.unknownProject.projects.find(({ id }) => id === press.projectId);
      if (project === undefined) return;
      builder.change({ projectId: project.id, projectName: project.name });
    }
    openIn(builder, stage.thread, press);
  },

  draft_posted(builder, { draft, ts: postTs }) {
    const stage = openDraft(builder, draft);
    if (stage === null) return;
    builder.change({
      stage: { ...stage, postTs },
      ...(stage.thread === null && { threadTs: postTs, repliesAfterTs: postTs }),
    });
  },

  /** Its message may exist, with a working *Start*. */
  draft_unseen(builder, { draft }) {
    const stage = openDraft(builder, draft);
    if (stage !== null) builder.change({ stage: { ...stage, isUnseen: true } });
  },

  post_refused(builder, { callId, announcement, reason }) {
    if (announcement.kind === 'draft') {
      const stage = openDraft(builder, announcement.number);
      if (stage === null) return;
      drop(builder, 'not_posted', null);
      notifyRequester(builder, callId, reason, 'draft_refused');
      return;
    }
    // Sent without a receipt.
    if (announcement.kind === 'follow_up')
      followUpShown(builder, { ...announcement, messageTs: slackTime(builder.nowMs) });
    notifyRequester(builder, callId, reason, announcement);
  },

  draft_started(builder, { draft, prompt, said = '', attachments = noAttachments, withheld = [], postTs }) {
    const { job, nowMs } = builder;
    if (openDraft(builder, draft) === null) return;
    for (const messageTs of withheld) {
      const followUp = builder.followUpAt(messageTs);
      if (followUp?.state === 'waiting') builder.excludeFollowUp(followUp, 'aside');
    }
    const threadTs = job.threadTs ?? postTs ?? null;
    const repliesAfterTs = job.repliesAfterTs ?? threadTs;
    builder.change({
      stage: { kind: 'opening' },
      threadTs,
      repliesAfterTs,
      takesRepliesAlong: true,
      requestedAtMs: nowMs,
      responseUrl: null,
      isStartedByPerson: true,
      context: paragraphs(job.context, said),
      ...(prompt !== undefined && { prompt }),
      snippets: [...job.snippets, ...attachments.snippets],
      others: [...job.others, ...attachments.others],
    });
    requestCard(builder);
  },

  draft_dismissed(builder, { draft, userId }) {
    const stage = openDraft(builder, draft);
    if (stage !== null) drop(builder, 'dismissed', userId);
  },

  draft_expired(builder) {
    const { stage, requestedAtMs } = builder.job;
    if (stage.kind !== 'draft') return;
    const dueAtMs = requestedAtMs + DRAFT_KEPT_MS;
    if (builder.nowMs < dueAtMs) builder.schedule('expire_draft', dueAtMs);
    else drop(builder, 'expired', null);
  },

  marks_seen(builder, { userIds }) {
    const { stage } = builder.job;
    if (stage.kind !== 'draft' && stage.kind !== 'dropped') return;
    if (stage.markedBy === undefined || stage.markedBy.join() === userIds.join()) return;
    builder.change({ stage: { ...stage, markedBy: userIds } });
    if (stage.kind === 'dropped' || userIds.length > 0) return;
    drop(builder, 'withdrawn', stage.markedBy[0] ?? null);
  },

  marked_once_more(builder, { userIds, approvers, message }) {
    const { job, nowMs } = builder;
    const requesterId = asksOnceMore(job.stage, userIds);
    if (job.stage.kind !== 'dropped' || requesterId === null) return;
    const { prompt, attachments, thread, along: messages } = message;
    builder.change({ requesterId, requestedAtMs: nowMs, prompt, ...attachments });
    makeDraft(builder, job.stage.number + 1, thread, { approvers, messages, markedBy: userIds });
  },
} satisfies Partial<Deciders>;

export function watchAgentJob(builder: DecisionBuilder, agentJobId: string): void {
  const unseen = { status: 'unknown', repository: null, ref: null, model: null, prLink: null };
  builder.change({
    stage: { kind: 'working', turnStartedAtMs: builder.nowMs, settle: null, isOlder: true },
    agentJob: { id: agentJobId, ...unseen },
  });
  builder.schedule('check_job');
  builder.refreshCard();
}

/** Once per `key`. */
function notifyRequester(
  builder: DecisionBuilder,
  key: string,
  reason: string,
  about: Extract<CallRequest, { kind: 'notify_requester' }>['about'],
  isKept = false,
) {
  if (initiatorOf(builder.job) === null) return;
  const request = { kind: 'notify_requester', reason, about, ...(isKept && { isKept }) } as const;
  builder.addCall(`requester:${builder.job.id}:${key}`, request);
}

/** No other create call may be pending or in flight. */
export function requestCreate(builder: DecisionBuilder): void {
  builder.change({ stage: { kind: 'creating' }, creates: builder.job.creates + 1 });
  const { job, policy } = builder;
  const waiting = job.takesRepliesAlong === true ? builder.followUpsIn('waiting') : [];
  const along = fittingAlong(job, waiting, policy.promptMaxLength);
  const request = { kind: 'create_job', ...firstInstruction(job, along) } as const;
  const callId = builder.addCall(createKey(job), request);
  for (const followUp of along) builder.saveFollowUp({ ...followUp, state: 'sending', callId });
}

export const ASKED_BEFORE_MS = 120_000;

export type Manner = Readonly<{
  /** False: the question needs a message of its own. */
  isAnswered: boolean;
  isDoubtful: boolean;
  unknownProject?: UnknownProject | null;
}>;

/** `recent`: the requester's jobs in the channel within `ASKED_BEFORE_MS`. */
export function requestJob(
  request: JobRequest,
  recent: readonly Job[],
  { isAnswered, isDoubtful, unknownProject = null }: Manner,
  context: DecisionContext,
): Decision {
  const same = recent.find((job) => isSame(job, request) && isActiveOrCompleted(job));
  if (unknownProject === null && same === undefined && !isDoubtful) return openJob(request, context);
  const builder = builderForNew({ ...request, thread: null }, context);
  builder.change({
    stage: {
      kind: 'awaiting_confirmation',
      sameAsJobId: unknownProject === null ? (same?.id ?? null) : null,
      thread: request.thread,
      ...(unknownProject !== null && { unknownProject }),
    },
  });
  if (!isAnswered) notifyRequester(builder, 'asked_before', '', 'asked_before');
  return builder.decision();
}

export function openQuestion(request: JobRequest, recent: readonly Job[]): Job | null {
  return recent.find((job) => isSame(job, request) && job.stage.kind === 'awaiting_confirmation') ?? null;
}

function isSame(job: Job, { prompt, context = '', projectId }: JobRequest) {
  return job.prompt === prompt && job.context === context && job.projectId === projectId;
}

function isActiveOrCompleted({ stage }: Job) {
  if (stage.kind === 'ended') return stage.status === 'completed';
  return openStages.some((open) => open === stage.kind);
}

export const DRAFT_KEPT_MS = 7 * 86_400_000;
export const OPEN_DRAFTS_MAX = 5;

type NewDraft = Readonly<{
  approvers: readonly string[];
  key?: string;
  /** Timestamps. */
  messages?: readonly string[];
  /** Withdrawn when none of them still reacts. */
  markedBy?: readonly string[];
}>;

export function requestDraft(
  { thread, ...request }: JobRequest,
  draft: NewDraft,
  context: DecisionContext,
): Decision {
  const builder = builderForNew({ ...request, thread: null }, context);
  makeDraft(builder, 1, thread, draft);
  return builder.decision();
}

function makeDraft(
  builder: DecisionBuilder,
  number: number,
  thread: StartThread | null,
  { approvers, key, messages = [], markedBy }: NewDraft,
) {
  const { nowMs } = builder;
  const threadTs = thread?.threadTs ?? null;
  builder.change({
    stage: { kind: 'draft', number, thread, messages, markedBy, postTs: null },
    threadTs,
    repliesAfterTs: thread?.lastTs ?? null,
  });
  const said = { kind: 'draft', number, threadTs, approvers } as const;
  if (key === undefined) builder.announce(said);
  else builder.announceOnce(draftKey(key), said);
  builder.schedule('expire_draft', nowMs + DRAFT_KEPT_MS);
}

/** `jobs`: the channel's, without a requester, since `DRAFT_KEPT_MS`. */
export function mayDraftMore(jobs: readonly Job[], appId: string): boolean {
  const open = jobs.filter(
    ({ stage, origin }) => stage.kind === 'draft' && origin.kind === 'mention' && origin.app?.id === appId,
  );
  return open.length < OPEN_DRAFTS_MAX;
}

export function draftKey(key: string): string {
  return `draft:${key}`;
}

function openDraft({ job: { stage } }: DecisionBuilder, number: number): Draft | null {
  return stage.kind === 'draft' && stage.number === number ? stage : null;
}

/** Somebody who reacts now but did not to the last draft. Null after a dismissal. */
export function asksOnceMore(stage: Stage, userIds: readonly string[]): string | null {
  if (stage.kind !== 'dropped' || stage.markedBy === undefined) return null;
  const { markedBy } = stage;
  return userIds.find((userId) => !markedBy.includes(userId)) ?? null;
}
