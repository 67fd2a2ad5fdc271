import { type CallRequest, createKey } from '../../call.ts';
import type { Decision, DecisionContext } from '../../decision.ts';
import type { Dropped, StartThread } from '../../draft.ts';
import type { EventOf } from '../../event.ts';
import { slackTime } from '../../follow-ups/follow-up.ts';
import { createPromptOf, fittingAlong } from '../../follow-ups/follow-up-queue.ts';
import { initiatorOf, type Job, openStages, type Stage } from '../../job.ts';
import type { Attachments } from '../../requests/attachments.ts';
import type { UnknownProject } from '../../requests/project.ts';
import { type Deciders, DecisionBuilder } from '../decision-builder.ts';
import { followUpShown, putOrRefuse } from '../replies/line-up.ts';

/** Nobody replies to a message sooner. */
const REPLIED_AFTER_MS = 2_000;

export type JobRequest = Pick<
  Job,
  'teamId' | 'channelId' | 'requesterId' | 'origin' | 'projectId' | 'projectName' | 'prompt' | 'responseUrl'
> &
  Partial<Pick<Job, 'recipe' | 'owners' | 'context' | 'requestTs'>> &
  Readonly<{
    /** The existing thread that gets the card; null: a new thread. */
    thread: StartThread | null;
    attachments?: Attachments;
    watchedAgentJobId?: string;
  }>;

/** The card is posted first, so that the job has its thread. */
export function openJob(request: JobRequest, context: DecisionContext): Decision {
  const builder = new DecisionBuilder({ job: newJob(request, context), followUps: [] }, context);
  noteIfEarlierReplies(builder);
  requestCard(builder);
  return builder.decision();
}

export function newJob(
  { thread, attachments, context: said = '', ...request }: JobRequest,
  context: DecisionContext,
): Job {
  return {
    watchedAgentJobId: null,
    ...request,
    context: said,
    snippets: attachments?.snippets ?? [],
    others: attachments?.others ?? [],
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
    sentFollowUps: 0,
    watchQuestions: 0,
    cards: 0,
    hurriedMessage: null,
    muted: false,
  };
}

/**
 * A button started the job. Earlier messages in the thread were not meant for it.
 * @param pressedTs by Slack's clock, as are those messages' times; this machine's may differ
 */
function openIn(builder: DecisionBuilder, thread: StartThread | null, pressedTs: string | undefined): void {
  const untilTs = pressedTs ?? slackTime(builder.context.nowMs);
  builder.change({
    stage: { kind: 'opening' },
    threadTs: thread?.threadTs ?? null,
    repliesAfterTs: thread && (Number(thread.lastTs) > Number(untilTs) ? thread.lastTs : untilTs),
  });
  noteIfEarlierReplies(builder);
}

/** The request may arrive late, if Slack redelivered it. Until then the thread had no job. */
export function noteIfEarlierReplies(builder: DecisionBuilder): void {
  const { threadTs, repliesAfterTs } = builder.job;
  if (threadTs === null || repliesAfterTs === null) return;
  if (builder.context.nowMs - Number(repliesAfterTs) * 1000 > REPLIED_AFTER_MS)
    builder.note({ mayHaveReplies: true });
}

/** The job is over for good, and its thread is free for another; the waiting replies stay between people. */
export function dropJob(builder: DecisionBuilder, why: Dropped['why'], byUserId: string | null): void {
  const { threadTs } = builder.job;
  const thread = threadTs === null ? null : { threadTs, lastTs: threadTs };
  builder.change({
    stage: { kind: 'dropped', number: 0, thread, messages: [], postTs: null, why, byUserId },
    threadTs: null,
    trouble: null,
  });
  for (const followUp of builder.followUpsIn('waiting')) builder.excludeFollowUp(followUp, 'aside');
  builder.refreshCard();
}

export function requestCard(builder: DecisionBuilder): void {
  const cards = builder.job.cards + 1;
  builder.change({ cards });
  builder.addCall(`card:${builder.job.id}:${cards}`, builder.lane('slack', 'thread'), { kind: 'post_card' });
}

export const cardDeciders = {
  card_posted(builder, { ts }) {
    if (builder.job.stage.kind === 'dropped') {
      builder.change({ cardTs: ts });
      builder.refreshCard();
    }
    if (builder.job.stage.kind !== 'opening') return;
    builder.change({ cardTs: ts, threadTs: builder.job.threadTs ?? ts });
    const { watchedAgentJobId, snippets, others } = builder.job;
    if (others.length > 0) builder.announce({ kind: 'files_not_sent', files: others });
    if (watchedAgentJobId !== null) watchAgentJob(builder, watchedAgentJobId);
    else if (snippets.length === 0) requestCreate(builder);
    else {
      builder.change({ stage: { kind: 'creating' } });
      builder.schedule('read_snippets');
    }
    // It says that the job starts, but does not show what people wrote in its thread before it was posted.
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

  /** *Try again*, once for each refused card: the prompt and its replies were kept. */
  try_again_pressed(builder, { cards, responseUrl, pressedTs }) {
    const { job, context } = builder;
    if (job.stage.kind !== 'card_failed' || cards !== job.cards) return;
    openIn(builder, job.stage.thread, pressedTs);
    builder.change({ requestedAtMs: context.nowMs, responseUrl });
    requestCard(builder);
    const kept = builder.followUpsIn('not_sent').filter(({ callId }) => callId === null);
    // One may have been edited meanwhile.
    for (const followUp of kept) putOrRefuse(builder, { ...followUp, state: 'waiting' });
  },

  /** The card waits for people: the requester learns once that the request is kept. */
  card_delayed(builder, { reason, waitsFor }) {
    const { stage } = builder.job;
    if (stage.kind !== 'opening') return;
    if (waitsFor !== undefined && waitsFor !== stage.waitsFor)
      builder.change({ stage: { ...stage, waitsFor } });
    notifyRequester(builder, `delayed:${builder.job.cards}`, reason, 'card_delayed');
  },

  /** The requester learns privately, once, what cannot be posted yet: the place may never open again. */
  post_delayed(builder, { callId, announcement, reason }) {
    notifyRequester(builder, callId, reason, announcement, true);
  },

  start_another_pressed(builder, { responseUrl, pressedTs, project }) {
    const { job, context } = builder;
    if (job.stage.kind !== 'awaiting_confirmation') return;
    if (job.stage.unknownProject !== undefined) {
      if (project === undefined) return;
      builder.change({ projectId: project.id, projectName: project.name });
    }
    openIn(builder, job.stage.thread, pressedTs);
    builder.change({ requestedAtMs: context.nowMs, responseUrl: responseUrl ?? job.responseUrl });
    requestCard(builder);
  },
} satisfies Partial<Deciders>;

export function watchAgentJob(builder: DecisionBuilder, agentJobId: string): void {
  const { nowMs } = builder.context;
  const unseen = { status: 'unknown', repository: null, ref: null, model: null, prLink: null };
  builder.change({
    stage: { kind: 'working', turnStartedAtMs: nowMs, settle: null, isOlder: true },
    agentJob: { id: agentJobId, ...unseen },
  });
  builder.schedule('check_job');
  builder.refreshCard();
}

/** The requester learns privately what cannot be posted in the thread. */
export function postRefused(
  builder: DecisionBuilder,
  { callId, announcement, reason }: EventOf<'post_refused'>,
): void {
  if (announcement.kind === 'follow_up') {
    // It still goes to the agent. No message can carry its receipt.
    followUpShown(builder, { ...announcement, messageTs: slackTime(builder.context.nowMs) });
  }
  notifyRequester(builder, callId, reason, announcement);
}

/** `key` distinguishes a job's private messages to its requester, each sent once. */
export function notifyRequester(
  builder: DecisionBuilder,
  key: string,
  reason: string,
  about: Extract<CallRequest, { kind: 'notify_requester' }>['about'],
  isKept = false,
): void {
  if (initiatorOf(builder.job) === null) return;
  const lane = builder.lane('slack', 'requester');
  const request = { kind: 'notify_requester', reason, about, ...(isKept && { isKept }) } as const;
  builder.addCall(`${lane.name}:${key}`, lane, request);
}

/** Requests the next create call. No other may be pending or in flight. */
export function requestCreate(builder: DecisionBuilder): void {
  const creates = builder.job.creates + 1;
  builder.change({ stage: { kind: 'creating' }, creates });
  const { job, context } = builder;
  const along =
    job.takesRepliesAlong === true
      ? fittingAlong(job, builder.followUpsIn('waiting'), context.policy.promptMaxLength)
      : [];
  const prompt = createPromptOf(job, along);
  const callId = builder.addCall(createKey(job), builder.lane('agent', 'agent'), {
    kind: 'create_job',
    prompt,
  });
  for (const followUp of along) builder.saveFollowUp({ ...followUp, state: 'sending', callId });
}

/** The same words within this time are probably not meant as a second job. */
export const ASKED_BEFORE_MS = 120_000;

export type Manner = Readonly<{
  /** False if the requester gets a question as a message of its own. */
  isAnswered: boolean;
  isDoubtful: boolean;
  /** It names a project that does not exist; absent: it does. */
  unknownProject?: UnknownProject | null;
}>;

/**
 * Makes a job of a request; if the requester asked the same just now, hardly meant to ask, or named an
 * unknown project, one that waits for *Start another*, *Start* or *Start in …*.
 * @param recent the requester's requests in the channel within `ASKED_BEFORE_MS`
 */
export function requestJob(
  request: JobRequest,
  recent: readonly Job[],
  { isAnswered, isDoubtful, unknownProject = null }: Manner,
  context: DecisionContext,
): Decision {
  const { thread } = request;
  const same = recent.find((job) => isSame(job, request) && isActiveOrCompleted(job));
  if (unknownProject === null && same === undefined && !isDoubtful) return openJob(request, context);
  const asked = { kind: 'awaiting_confirmation', sameAsJobId: same?.id ?? null, thread } as const;
  let stage: Stage = asked;
  if (unknownProject !== null) {
    // Without the rest of the request, which the job has already.
    const { kind, name, projects } = unknownProject;
    stage = { ...asked, sameAsJobId: null, unknownProject: { kind, name, projects } };
  }
  const job = { ...newJob({ ...request, thread: null }, context), stage };
  const builder = new DecisionBuilder({ job, followUps: [] }, context);
  if (!isAnswered) notifyRequester(builder, 'asked_before', '', 'asked_before');
  return builder.decision();
}

/** The question asked when the same request arrived first, if it is open. */
export function openQuestion(request: JobRequest, recent: readonly Job[]): Job | null {
  return recent.find((job) => isSame(job, request) && job.stage.kind === 'awaiting_confirmation') ?? null;
}

function isSame(job: Job, { prompt, context = '', projectId }: JobRequest): boolean {
  return job.prompt === prompt && job.context === context && job.projectId === projectId;
}

/** It is running, may be, or has succeeded. After other ends, repeating the words makes sense. */
function isActiveOrCompleted({ stage }: Job): boolean {
  if (stage.kind === 'ended') return stage.status === 'completed';
  return openStages.some((open) => open === stage.kind);
}
