import type { Decision, DecisionContext } from '../../decision.ts';
import type { Draft, Dropped } from '../../draft.ts';
import type { DraftStart, MarkedOnceMore } from '../../event.ts';
import type { Job, Stage } from '../../job.ts';
import type { Attachments } from '../../requests/attachments.ts';
import { DecisionBuilder } from '../decision-builder.ts';
import { type JobRequest, newJob, noteIfEarlierReplies, notifyRequester, requestCard } from './open.ts';

/** A draft is forgotten after a week. */
export const DRAFT_KEPT_MS = 7 * 86_400_000;
/** An app has at most so many open drafts in a channel: one that echoes what it reads must come to an end. */
export const OPEN_DRAFTS_MAX = 5;

export interface DraftFacts {
  /** Messages of its thread that go along unless somebody unticks them, by their times. Default: none. */
  readonly messages?: readonly string[];
  /** The only people who may start it, as its message says; empty: whoever may use the program. */
  readonly approvers: readonly string[];
  /** Under which its message is found again (`draftKey`). Default: under none. */
  readonly key?: string;
  /** The people without whom it is withdrawn (`marks_seen`); absent: nobody counts. */
  readonly markedBy?: readonly string[];
}

/**
 * As `requestJob`, but makes a draft of the request: it is posted in `request.thread`, or at the top level of the channel,
 * and waits for *Start*. `context` need not be bound to the job.
 */
export function requestDraft(
  { thread, ...request }: JobRequest,
  { messages = [], approvers, key, markedBy }: DraftFacts,
  context: DecisionContext,
): Decision {
  const job = newJob({ ...request, thread: null }, context);
  const builder = new DecisionBuilder({ job, followUps: [] }, context);
  const draft = { number: 0, thread, messages, postTs: null };
  makeDraft(builder, { ...draft, ...(markedBy !== undefined && { markedBy }) }, approvers, key);
  return builder.decision();
}

type Made = Omit<Draft, 'kind' | 'draftedAtMs'>;

function makeDraft(
  builder: DecisionBuilder,
  { number: before, ...made }: Made,
  approvers: readonly string[],
  key?: string,
): void {
  const { nowMs } = builder.context;
  const number = before + 1;
  builder.change({
    stage: { ...made, kind: 'draft', number, postTs: null, draftedAtMs: nowMs },
    threadTs: made.thread?.threadTs ?? null,
    repliesAfterTs: made.thread?.lastTs ?? null,
  });
  const said = { kind: 'draft', number, threadTs: made.thread?.threadTs ?? null, approvers } as const;
  if (key === undefined) builder.announce(said);
  else builder.announceOnce(draftKey(key), said);
  builder.schedule('expire_draft', nowMs + DRAFT_KEPT_MS);
}

/** Whether there may be one more draft of the app. @param jobs those of its channel that nobody asked for, since `DRAFT_KEPT_MS` */
export function mayDraftMore(jobs: readonly Job[], appId: string): boolean {
  const open = jobs.filter(
    ({ stage, origin }) => stage.kind === 'draft' && origin.kind === 'mention' && origin.app?.id === appId,
  );
  return open.length < OPEN_DRAFTS_MAX;
}

/** The natural key of the message of a job's first draft. @param key of `DraftFacts` */
export function draftKey(key: string): string {
  return `draft:${key}`;
}

/** People see it, and can answer below it. */
export function draftPosted(builder: DecisionBuilder, number: number, postTs: string): void {
  const { stage } = builder.job;
  if (stage.kind !== 'draft' || stage.number !== number) return;
  builder.change({
    stage: { ...stage, postTs },
    ...(stage.thread === null && { threadTs: postTs, repliesAfterTs: postTs }),
  });
}

/** Its message may be there: whoever sees it can start it. */
export function draftUnseen(builder: DecisionBuilder, number: number): void {
  const { stage } = builder.job;
  if (stage.kind === 'draft' && stage.number === number)
    builder.change({ stage: { ...stage, isUnseen: true } });
}

/** Slack does not take its message, so that nobody could start it. */
export function draftRefused(builder: DecisionBuilder, callId: string, number: number, reason: string): void {
  const { stage } = builder.job;
  if (stage.kind !== 'draft' || stage.number !== number) return;
  drop(builder, stage, 'not_posted', null);
  notifyRequester(builder, callId, reason, 'draft_refused');
}

/** *Start*, or *Edit and start*. */
export function startDraft(builder: DecisionBuilder, started: DraftStart): void {
  const { job, context } = builder;
  const { stage } = job;
  if (stage.kind !== 'draft' || stage.number !== started.draft) return;
  const { prompt, said = '', attachments, withheld = [] } = started;
  for (const messageTs of withheld) {
    const followUp = builder.followUpAt(messageTs);
    if (followUp?.state === 'waiting') builder.excludeFollowUp(followUp, 'aside');
  }
  // Null where nobody knows where its message is.
  const threadTs = job.threadTs ?? started.postTs ?? null;
  const repliesAfterTs = job.repliesAfterTs ?? threadTs;
  builder.change({ stage: { kind: 'opening' }, threadTs, repliesAfterTs, takesRepliesAlong: true });
  noteIfEarlierReplies(builder);
  builder.change({
    requestedAtMs: context.nowMs,
    responseUrl: null,
    isStartedByPerson: true,
    context: [job.context, said].filter((part) => part !== '').join('\n\n'),
    ...(prompt !== undefined && { prompt }),
    ...withAttachments(job, attachments),
  });
  requestCard(builder);
}

function withAttachments(
  { snippets, others }: Pick<DecisionBuilder['job'], 'snippets' | 'others'>,
  more?: Attachments,
) {
  if (more === undefined) return {};
  return { snippets: [...snippets, ...more.snippets], others: [...others, ...more.others] };
}

/** *Dismiss*. */
export function dismissDraft(builder: DecisionBuilder, number: number, userId: string): void {
  const { stage } = builder.job;
  if (stage.kind === 'draft' && stage.number === number) drop(builder, stage, 'dismissed', userId);
}

/** Nobody has started it for a week. */
export function expireDraft(builder: DecisionBuilder): void {
  const { stage } = builder.job;
  if (stage.kind !== 'draft') return;
  // It was withdrawn, and asked for once more: the task of the first draft may be in hand.
  const dueAtMs = stage.draftedAtMs + DRAFT_KEPT_MS;
  if (builder.context.nowMs < dueAtMs) builder.schedule('expire_draft', dueAtMs);
  else drop(builder, stage, 'expired', null);
}

/** These people mark the message that the draft is about: without any, it is withdrawn. */
export function marksSeen(builder: DecisionBuilder, userIds: readonly string[]): void {
  const { stage } = builder.job;
  if (stage.kind !== 'draft' && stage.kind !== 'dropped') return;
  if (stage.markedBy === undefined || isSame(stage.markedBy, userIds)) return;
  builder.change({ stage: { ...stage, markedBy: userIds } });
  if (stage.kind === 'dropped' || userIds.length > 0) return;
  drop(builder, { ...stage, markedBy: [] }, 'withdrawn', stage.markedBy[0] ?? null);
}

/**
 * Who among those that mark the message now asks for one more draft of it; null: nobody does. Those who marked the last
 * one do not, unless they took their mark away meanwhile; and what somebody has dismissed or started is settled.
 */
export function asksOnceMore(stage: Stage, userIds: readonly string[]): string | null {
  if (stage.kind !== 'dropped' || stage.markedBy === undefined) return null;
  const { markedBy } = stage;
  return userIds.find((userId) => !markedBy.includes(userId)) ?? null;
}

/** Somebody marks it anew: there is one more draft, of what the message and its thread say now. */
export function markedOnceMore(
  builder: DecisionBuilder,
  { userIds, approvers, message }: MarkedOnceMore,
): void {
  const { job, context } = builder;
  const requesterId = asksOnceMore(job.stage, userIds);
  if (job.stage.kind !== 'dropped' || requesterId === null) return;
  const { prompt, attachments, thread, along: messages } = message;
  builder.change({ requesterId, requestedAtMs: context.nowMs, prompt, ...attachments });
  const { number } = job.stage;
  makeDraft(builder, { number, thread, messages, postTs: null, markedBy: userIds }, approvers);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}

function drop(builder: DecisionBuilder, draft: Draft, why: Dropped['why'], byUserId: string | null): void {
  const { draftedAtMs: _, isUnseen: __, replies: ___, markedBy, ...rest } = draft;
  // What somebody has dismissed is settled, whoever marks it.
  const marks = why === 'dismissed' || markedBy === undefined ? {} : { markedBy };
  builder.change({
    stage: { ...rest, ...marks, kind: 'dropped', why, byUserId },
    threadTs: null,
    repliesAfterTs: null,
    muted: false,
  });
  // What may be drafted once more, may go along then: of that, no receipt says that it stays between people.
  const state = why === 'dismissed' ? 'aside' : 'excluded';
  for (const followUp of builder.allFollowUps()) {
    if (followUp.state === 'waiting' || followUp.state === 'not_sent')
      builder.excludeFollowUp(followUp, state);
  }
}
