import type { Announcement } from '../announcement.ts';
import type { Attached } from '../attached.ts';
import type { CallRequest } from '../call.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import type { StartPress } from '../event.ts';
import { type Job, type StartThread, slackTime, startPromptOf } from '../job.ts';
import { Draft } from './draft.ts';
import { followUpShown, putOrRefuse, refusalOf } from './line-up.ts';

/** Nobody replies to a message sooner. */
const REPLIED_AFTER_MS = 2_000;

/** A request for a new job, from whatever gesture. */
export interface JobRequest {
  readonly teamId: string;
  readonly channelId: string;
  readonly requesterId: string;
  readonly projectId: string;
  readonly projectName: string;
  /** As Slack delivered it. */
  readonly prompt: string;
  /** Goes to the agent after the prompt; escaped like it. */
  readonly context?: string;
  readonly responseUrl: string | null;
  /** The thread of other people that the card is posted in; null: a new thread. */
  readonly thread: StartThread | null;
  /** What came along with the message that asks for it. */
  readonly attached?: Attached;
  /** The agent job to watch instead of creating one. */
  readonly attachedTo?: string;
}

/** Makes a job of a request: the card is posted first, so that the job has its thread. */
export function openJob(request: JobRequest, context: DecisionContext): Decision {
  const draft = new Draft({ job: newJob(request, context), followUps: [] }, context);
  lookForEarlierReplies(draft);
  wantCard(draft);
  return draft.decision();
}

/** A job of which nothing is done yet. */
export function newJob(
  { thread, attached, context: said = '', ...request }: JobRequest,
  context: DecisionContext,
): Job {
  return {
    attachedTo: null,
    ...request,
    context: said,
    snippets: attached?.snippets ?? [],
    others: attached?.others ?? [],
    inlined: '',
    id: context.newId(),
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
    told: null,
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
 * A button made the job wanted. What people wrote in the thread until then was not meant for it.
 * @param pressedTs by Slack's clock, as are the times of what they wrote; this machine's may differ
 */
export function openIn(draft: Draft, thread: StartThread | null, pressedTs: string | undefined): void {
  const untilTs = pressedTs ?? slackTime(draft.context.nowMs);
  draft.change({
    stage: { kind: 'opening' },
    threadTs: thread?.threadTs ?? null,
    repliesAfterTs: thread && (Number(thread.lastTs) > Number(untilTs) ? thread.lastTs : untilTs),
  });
  lookForEarlierReplies(draft);
}

/** The gesture may come late, when Slack had to deliver it again, say; until then the thread had no job. */
function lookForEarlierReplies(draft: Draft): void {
  const { threadTs, repliesAfterTs } = draft.job;
  if (threadTs === null || repliesAfterTs === null) return;
  if (draft.context.nowMs - Number(repliesAfterTs) * 1000 > REPLIED_AFTER_MS) draft.noteEarlierReplies();
}

export function wantCard(draft: Draft): void {
  const cards = draft.job.cards + 1;
  draft.change({ cards });
  draft.want(`card:${draft.job.id}:${cards}`, draft.threadLane, { kind: 'post_card' });
}

/** The card is there to be seen: now the agent job can be created, or watched. */
export function cardPosted(draft: Draft, ts: string): void {
  if (draft.job.stage.kind !== 'opening') return;
  draft.change({ cardTs: ts, threadTs: draft.job.threadTs ?? ts });
  const { attachedTo, snippets, others } = draft.job;
  if (others.length > 0) draft.announce({ kind: 'files_not_sent', files: others });
  if (attachedTo !== null) attach(draft, attachedTo);
  else if (snippets.length === 0) wantCreate(draft);
  else {
    draft.change({ stage: { kind: 'creating' } });
    draft.schedule('read_snippets', draft.context.nowMs);
  }
}

/** The first look tells what there is to say of it. */
function attach(draft: Draft, agentJobId: string): void {
  const { nowMs } = draft.context;
  const unseen = { status: 'unknown', repository: null, ref: null, model: null, prLink: null };
  draft.change({
    stage: { kind: 'working', turnStartedAtMs: nowMs, settle: null, isOlder: true },
    agentJob: { id: agentJobId, ...unseen },
  });
  draft.schedule('check_job', nowMs);
  draft.refreshCard();
}

export function cardRefused(draft: Draft, reason: string): void {
  const { stage, threadTs, repliesAfterTs } = draft.job;
  if (stage.kind !== 'opening') return;
  const thread = threadTs === null ? null : { threadTs, lastTs: repliesAfterTs ?? threadTs };
  draft.change({ stage: { kind: 'unopened', reason, thread }, threadTs: null });
  const waiting = draft.followUpsIn('waiting');
  if (waiting.length > 0) draft.put(waiting.map((followUp) => ({ ...followUp, state: 'not_sent' })));
  tellRequester(draft, `refused:${draft.job.cards}`, reason, 'card_refused');
}

/** *Try again*, after a card that was refused: the prompt and its replies were kept. Works once for each refusal. */
export function tryAgain(draft: Draft, cards: number, { responseUrl, pressedTs }: StartPress): void {
  const { job, context } = draft;
  if (job.stage.kind !== 'unopened' || cards !== job.cards) return;
  openIn(draft, job.stage.thread, pressedTs);
  draft.change({ requestedAtMs: context.nowMs, responseUrl });
  wantCard(draft);
  const kept = draft.followUpsIn('not_sent').filter(({ callId }) => callId === null);
  // One may have been edited meanwhile.
  for (const followUp of kept)
    putOrRefuse(draft, { ...followUp, state: 'waiting' }, refusalOf(draft, followUp));
}

/** The card waits for an administrator, or an invitation: the requester is told once that the request is kept. */
export function cardDelayed(draft: Draft, reason: string): void {
  if (draft.job.stage.kind !== 'opening') return;
  tellRequester(draft, `delayed:${draft.job.cards}`, reason, 'card_delayed');
}

/** What the thread cannot be told, the requester is told privately. */
export function postRefused(draft: Draft, callId: string, announcement: Announcement, reason: string): void {
  if (announcement.kind === 'follow_up') {
    // It goes to the agent all the same; where a message would stand, there is none for a receipt.
    followUpShown(draft, { ...announcement, messageTs: slackTime(draft.context.nowMs) });
  }
  tellRequester(draft, callId, reason, announcement);
}

/** `key` tells apart what the requester of a job is told; each is told once. */
export function tellRequester(
  draft: Draft,
  key: string,
  reason: string,
  about: Extract<CallRequest, { kind: 'tell_requester' }>['about'],
): void {
  const lane = { to: 'slack', name: `requester:${draft.job.id}` } as const;
  draft.want(`requester:${draft.job.id}:${key}`, lane, { kind: 'tell_requester', reason, about });
}

/** Wants the next create call. Callers make sure that no other is wanted or under way. */
export function wantCreate(draft: Draft): void {
  const creates = draft.job.creates + 1;
  draft.change({ stage: { kind: 'creating' }, creates });
  draft.want(`create:${draft.job.id}:${creates}`, draft.agentLane, {
    kind: 'create_job',
    prompt: startPromptOf(draft.job),
  });
  draft.refreshCard();
}
