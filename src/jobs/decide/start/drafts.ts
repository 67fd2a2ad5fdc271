import type { Decision, DecisionContext } from '../../decision.ts';
import type { Draft, Dropped } from '../../draft.ts';
import type { Job, Stage } from '../../job.ts';
import { type Deciders, DecisionBuilder } from '../decision-builder.ts';
import {
  type JobRequest,
  newJob,
  noteIfEarlierReplies,
  notifyRequester,
  postRefused,
  requestCard,
} from './open.ts';

export const DRAFT_KEPT_MS = 7 * 86_400_000;
/** An app's maximum of open drafts in a channel: one that echoes what it reads must come to an end. */
export const OPEN_DRAFTS_MAX = 5;

export type DraftFacts = Readonly<{
  /** Timestamps of the thread's messages that go along unless somebody unticks them. Default: none. */
  messages?: readonly string[];
  /** The only people who may start it, as its message says; empty: everybody who may use the program. */
  approvers: readonly string[];
  /** Identifies its message (`draftKey`). Default: not found again. */
  key?: string;
  /** The people without whom it is withdrawn (`marks_seen`); absent: nobody counts. */
  markedBy?: readonly string[];
}>;

/**
 * As `requestJob`, but for a draft: posted in `request.thread`, or at the top level of the channel, it waits
 * for *Start*. `context` need not be bound to the job.
 */
export function requestDraft(
  { thread, ...request }: JobRequest,
  { messages = [], approvers, key, markedBy }: DraftFacts,
  context: DecisionContext,
): Decision {
  const job = newJob({ ...request, thread: null }, context);
  const builder = new DecisionBuilder({ job, followUps: [] }, context);
  const draft = { number: 1, thread, messages, ...(markedBy !== undefined && { markedBy }) };
  makeDraft(builder, draft, approvers, key);
  return builder.decision();
}

function makeDraft(
  builder: DecisionBuilder,
  draft: Pick<Draft, 'number' | 'thread' | 'messages' | 'markedBy'>,
  approvers: readonly string[],
  key?: string,
): void {
  const { nowMs } = builder.context;
  const { number, thread } = draft;
  const threadTs = thread?.threadTs ?? null;
  builder.change({
    stage: { ...draft, kind: 'draft', postTs: null, draftedAtMs: nowMs },
    threadTs,
    repliesAfterTs: thread?.lastTs ?? null,
  });
  const said = { kind: 'draft', number, threadTs, approvers } as const;
  if (key === undefined) builder.announce(said);
  else builder.announceOnce(draftKey(key), said);
  builder.schedule('expire_draft', nowMs + DRAFT_KEPT_MS);
}

/**
 * Whether the app may have another draft. @param jobs its channel's jobs that nobody asked for, since
 * `DRAFT_KEPT_MS`
 */
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

/** Null: there is another one since, or none. */
function openDraft({ job: { stage } }: DecisionBuilder, number: number): Draft | null {
  return stage.kind === 'draft' && stage.number === number ? stage : null;
}

export const draftDeciders = {
  draft_posted(builder, { draft, ts: postTs }) {
    const stage = openDraft(builder, draft);
    if (stage === null) return;
    builder.change({
      stage: { ...stage, postTs },
      ...(stage.thread === null && { threadTs: postTs, repliesAfterTs: postTs }),
    });
  },

  /** Its message may be there: whoever sees it can start it. */
  draft_unseen(builder, { draft }) {
    const stage = openDraft(builder, draft);
    if (stage !== null) builder.change({ stage: { ...stage, isUnseen: true } });
  },

  post_refused(builder, event) {
    const { callId, announcement, reason } = event;
    if (announcement.kind !== 'draft') return postRefused(builder, event);
    const stage = openDraft(builder, announcement.number);
    if (stage === null) return;
    drop(builder, stage, 'not_posted', null);
    notifyRequester(builder, callId, reason, 'draft_refused');
  },

  draft_started(builder, { draft, prompt, said = '', attachments, withheld = [], postTs }) {
    const { job, context } = builder;
    if (openDraft(builder, draft) === null) return;
    for (const messageTs of withheld) {
      const followUp = builder.followUpAt(messageTs);
      if (followUp?.state === 'waiting') builder.excludeFollowUp(followUp, 'aside');
    }
    // Null where its message's place is unknown.
    const threadTs = job.threadTs ?? postTs ?? null;
    const repliesAfterTs = job.repliesAfterTs ?? threadTs;
    builder.change({ stage: { kind: 'opening' }, threadTs, repliesAfterTs, takesRepliesAlong: true });
    noteIfEarlierReplies(builder);
    builder.change({
      requestedAtMs: context.nowMs,
      responseUrl: null,
      isStartedByPerson: true,
      context: [job.context, said].filter((part) => part !== '').join('\n\n'),
      ...(prompt !== undefined && { prompt }),
      ...(attachments !== undefined && {
        snippets: [...job.snippets, ...attachments.snippets],
        others: [...job.others, ...attachments.others],
      }),
    });
    requestCard(builder);
  },

  draft_dismissed(builder, { draft, userId }) {
    const stage = openDraft(builder, draft);
    if (stage !== null) drop(builder, stage, 'dismissed', userId);
  },

  draft_expired(builder) {
    const { stage } = builder.job;
    if (stage.kind !== 'draft') return;
    // Withdrawn and asked for again: the first draft's task may be running.
    const dueAtMs = stage.draftedAtMs + DRAFT_KEPT_MS;
    if (builder.context.nowMs < dueAtMs) builder.schedule('expire_draft', dueAtMs);
    else drop(builder, stage, 'expired', null);
  },

  /** These people react to the draft's message: without any, it is withdrawn. */
  marks_seen(builder, { userIds }) {
    const { stage } = builder.job;
    if (stage.kind !== 'draft' && stage.kind !== 'dropped') return;
    if (stage.markedBy === undefined || stage.markedBy.join() === userIds.join()) return;
    builder.change({ stage: { ...stage, markedBy: userIds } });
    if (stage.kind === 'dropped' || userIds.length > 0) return;
    drop(builder, { ...stage, markedBy: [] }, 'withdrawn', stage.markedBy[0] ?? null);
  },

  marked_once_more(builder, { userIds, approvers, message }) {
    const { job, context } = builder;
    const requesterId = asksOnceMore(job.stage, userIds);
    if (job.stage.kind !== 'dropped' || requesterId === null) return;
    const { prompt, attachments, thread, along: messages } = message;
    builder.change({ requesterId, requestedAtMs: context.nowMs, prompt, ...attachments });
    const number = job.stage.number + 1;
    makeDraft(builder, { number, thread, messages, markedBy: userIds }, approvers);
  },
} satisfies Partial<Deciders>;

/**
 * Who among those that react to the message now asks for another draft; null: nobody. Those who reacted to
 * the last one do not, unless they removed their reaction meanwhile; what somebody dismissed or started is
 * settled.
 */
export function asksOnceMore(stage: Stage, userIds: readonly string[]): string | null {
  if (stage.kind !== 'dropped' || stage.markedBy === undefined) return null;
  const { markedBy } = stage;
  return userIds.find((userId) => !markedBy.includes(userId)) ?? null;
}

function drop(builder: DecisionBuilder, draft: Draft, why: Dropped['why'], byUserId: string | null): void {
  const { draftedAtMs: _, isUnseen: __, replies: ___, markedBy, ...rest } = draft;
  // What somebody has dismissed is settled, whoever reacts to it.
  const marks = why === 'dismissed' || markedBy === undefined ? {} : { markedBy };
  builder.change({
    stage: { ...rest, ...marks, kind: 'dropped', why, byUserId },
    threadTs: null,
    repliesAfterTs: null,
    muted: false,
  });
  // What may be drafted again may go along then, so no receipt says that it stays between people.
  const state = why === 'dismissed' ? 'aside' : 'excluded';
  for (const followUp of builder.followUpsIn('waiting', 'not_sent')) builder.excludeFollowUp(followUp, state);
}
