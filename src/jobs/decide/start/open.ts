import { type CallRequest, createKey } from '../../call.ts';
import type { EventOf } from '../../event.ts';
import { firstInstruction, fittingAlong, slackTime } from '../../follow-ups/follow-up.ts';
import { type Dropped, initiatorOf, type Job, openStages, type StartThread } from '../../job.ts';
import { type Attachments, noAttachments } from '../../requests/attachments.ts';
import type { UnknownProject } from '../../requests/command.ts';
import { type Deciders, type Decision, DecisionBuilder, type DecisionContext } from '../decision-builder.ts';
import { enqueueOrRefuse } from '../replies/enqueue.ts';

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

export function builderForNew(
  { thread, attachments = noAttachments, context: said = '', ...request }: JobRequest,
  context: DecisionContext,
): DecisionBuilder {
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
    sentFollowUps: 0,
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
  const { id, threadTs, repliesAfterTs } = builder.job;
  // A redelivered request may follow replies that found no job.
  const mayHaveReplies = builder.nowMs - Number(repliesAfterTs) * 1000 > REPLIED_AFTER_MS;
  if (threadTs !== null && repliesAfterTs !== null && mayHaveReplies) builder.note({ mayHaveReplies });
  const cards = builder.job.cards + 1;
  builder.change({ cards });
  builder.addCall(`card:${id}:${cards}`, { kind: 'post_card' });
}

export const cardDeciders = {
  card_posted(builder, { ts }) {
    if (builder.job.stage.kind === 'dropped') {
      builder.change({ cardTs: ts });
      builder.refreshCard();
    }
    if (builder.job.stage.kind !== 'opening') return;
    const { watchedAgentJobId, snippets, others } = builder.job;
    const pictures = builder.picturesIn(others);
    builder.change({ cardTs: ts, threadTs: builder.job.threadTs ?? ts, pictures });
    const files = builder.unsentIn(others);
    if (files.length > 0) builder.announce({ kind: 'files_not_sent', files });
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
    for (const followUp of kept) enqueueOrRefuse(builder, { ...followUp, state: 'waiting' });
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
    const { project } = press;
    if (stage.kind !== 'awaiting_confirmation') return;
    if (stage.unknownProject !== undefined) {
      if (project === undefined) return;
      builder.change({ projectId: project.id, projectName: project.name });
    }
    openIn(builder, stage.thread, press);
  },
} satisfies Partial<Deciders>;

export function watchAgentJob(builder: DecisionBuilder, agentJobId: string): void {
  const { nowMs } = builder;
  const unseen = { status: 'unknown', repository: null, ref: null, model: null, prLink: null };
  builder.change({
    stage: { kind: 'working', turnStartedAtMs: nowMs, settle: null, isOlder: true },
    agentJob: { id: agentJobId, ...unseen },
  });
  builder.schedule('check_job');
  builder.refreshCard();
}

/** Once per `key`. */
export function notifyRequester(
  builder: DecisionBuilder,
  key: string,
  reason: string,
  about: Extract<CallRequest, { kind: 'notify_requester' }>['about'],
  isKept = false,
): void {
  if (initiatorOf(builder.job) === null) return;
  const request = { kind: 'notify_requester', reason, about, ...(isKept && { isKept }) } as const;
  builder.addCall(`requester:${builder.job.id}:${key}`, request);
}

/** No other create call may be pending or in flight. */
export function requestCreate(builder: DecisionBuilder): void {
  const creates = builder.job.creates + 1;
  builder.change({ stage: { kind: 'creating' }, creates });
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
