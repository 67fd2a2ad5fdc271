import { slackTime } from '../../follow-ups/follow-up.ts';
import { type Draft, type Dropped, type Job, paragraphs, type Stage } from '../../job.ts';
import { noAttachments } from '../../requests/attachments.ts';
import type { Deciders, Decision, DecisionBuilder, DecisionContext } from '../decision-builder.ts';
import { followUpShown } from '../replies/enqueue.ts';
import { builderForNew, type JobRequest, notifyRequester, requestCard } from './open.ts';

export const DRAFT_KEPT_MS = 7 * 86_400_000;
export const OPEN_DRAFTS_MAX = 5;

export function requestDraft(
  { thread, ...request }: JobRequest,
  {
    messages = [],
    approvers,
    key,
    markedBy,
  }: Readonly<{
    /** Timestamps. */
    messages?: readonly string[];
    approvers: readonly string[];
    key?: string;
    /** Withdrawn when none of them still reacts. */
    markedBy?: readonly string[];
  }>,
  context: DecisionContext,
): Decision {
  const builder = builderForNew({ ...request, thread: null }, context);
  const draft = { number: 1, thread, messages, ...(markedBy !== undefined && { markedBy }) };
  makeDraft(builder, draft, approvers, key);
  return builder.decision();
}

function makeDraft(
  builder: DecisionBuilder,
  draft: Pick<Draft, 'number' | 'thread' | 'messages' | 'markedBy'>,
  approvers: readonly string[],
  key?: string,
) {
  const { nowMs } = builder;
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

export const draftDeciders = {
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
      drop(builder, stage, 'not_posted', null);
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
      ...{ stage: { kind: 'opening' }, threadTs, repliesAfterTs, takesRepliesAlong: true },
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
    if (stage !== null) drop(builder, stage, 'dismissed', userId);
  },

  draft_expired(builder) {
    const { stage } = builder.job;
    if (stage.kind !== 'draft') return;
    const dueAtMs = stage.draftedAtMs + DRAFT_KEPT_MS;
    if (builder.nowMs < dueAtMs) builder.schedule('expire_draft', dueAtMs);
    else drop(builder, stage, 'expired', null);
  },

  marks_seen(builder, { userIds }) {
    const { stage } = builder.job;
    if (stage.kind !== 'draft' && stage.kind !== 'dropped') return;
    if (stage.markedBy === undefined || stage.markedBy.join() === userIds.join()) return;
    builder.change({ stage: { ...stage, markedBy: userIds } });
    if (stage.kind === 'dropped' || userIds.length > 0) return;
    drop(builder, { ...stage, markedBy: [] }, 'withdrawn', stage.markedBy[0] ?? null);
  },

  marked_once_more(builder, { userIds, approvers, message }) {
    const { job, nowMs } = builder;
    const requesterId = asksOnceMore(job.stage, userIds);
    if (job.stage.kind !== 'dropped' || requesterId === null) return;
    const { prompt, attachments, thread, along: messages } = message;
    builder.change({ requesterId, requestedAtMs: nowMs, prompt, ...attachments });
    const number = job.stage.number + 1;
    makeDraft(builder, { number, thread, messages, markedBy: userIds }, approvers);
  },
} satisfies Partial<Deciders>;

/** Somebody who reacts now but did not to the last draft. Null after a dismissal. */
export function asksOnceMore(stage: Stage, userIds: readonly string[]): string | null {
  if (stage.kind !== 'dropped' || stage.markedBy === undefined) return null;
  const { markedBy } = stage;
  return userIds.find((userId) => !markedBy.includes(userId)) ?? null;
}

function drop(builder: DecisionBuilder, draft: Draft, why: Dropped['why'], byUserId: string | null) {
  const { draftedAtMs: _, isUnseen: __, replies: ___, markedBy, ...rest } = draft;
  const marks = why === 'dismissed' || markedBy === undefined ? {} : { markedBy };
  builder.change({
    stage: { ...rest, ...marks, kind: 'dropped', why, byUserId },
    threadTs: null,
    repliesAfterTs: null,
    muted: false,
  });
  // The next draft may include them: no `aside` receipt.
  const state = why === 'dismissed' ? 'aside' : 'excluded';
  for (const followUp of builder.followUpsIn('waiting', 'not_sent')) builder.excludeFollowUp(followUp, state);
}
