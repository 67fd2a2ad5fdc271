import { policyOf } from '../../../engine/apply-event.ts';
import type { Draft } from '../../../jobs/draft.ts';
import type { EventOf, JobEvent } from '../../../jobs/event.ts';
import { promptOf } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { draftedMessageTs, isBeforeJob, type Job, startPromptOf } from '../../../jobs/job.ts';
import { approversIn } from '../../../jobs/policy.ts';
import { judgePrompt, unescaped } from '../../../jobs/requests/command.ts';
import { attachmentsIn, mergeAttachments } from '../../messages/attachments.ts';
import { replyOf } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn } from '../../messages/thread-messages.ts';
import { formIds } from '../../protocol/ids.ts';
import { mentionedUserIds, readableText } from '../../protocol/slack-text.ts';
import { draftForm, type ThreadLine } from '../../views/forms/compose.ts';
import { type ButtonTarget, buttons } from '../../views/parts/buttons.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { labels } from '../../views/parts/words.ts';
import { type Refusal, refusalAtField, refusalView } from '../../views/refusals.ts';
import { draftTooLongView, onlyTheseView } from '../../views/thread/draft.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { noteRefusal } from '../connection/request-log.ts';
import type { ListenerDeps } from '../listener.ts';
import { inTime, jobOf, linkTo, namesIn } from '../requests/door.ts';
import { tooLate } from '../requests/job-event.ts';
import { threadTakenProblem } from '../requests/start-job.ts';
import { formPressed, formSubmitted } from './decision-forms.ts';
import { filledIn } from './submit.ts';
import {
  type Along,
  changedIn,
  type Problem,
  readThread,
  threadContext,
  timeIn,
  toLines,
  versionId,
} from './thread.ts';

/** Part of Slack's 3 seconds; storing, or opening a form, needs the rest. */
const READ_WITHIN_MS = 1_200;

/** As many as a form can show beside the thread's messages. */
const REPLIES_MAX = 50;

/** *Start*: reads the messages that go along, as they are at that moment. */
export async function prepareStart(
  deps: ListenerDeps,
  { jobId, draft: number }: ButtonTarget,
  event: EventOf<'draft_started'>,
): Promise<{ readonly event: JobEvent } | Problem> {
  const job = await jobOf(deps, jobId);
  const draft = job && openDraft(job, number);
  if (job === null || draft === null) return { event };
  const denial = await approvalProblem(deps, job, event.userId);
  if (denial !== null) return { problem: denial };
  const along = await readAlong(deps, job, draft, draft.messages);
  if ('problem' in along) return along;
  const said = saidAlong(deps, job, draft, along);
  if ('tooLong' in said) return { problem: draftTooLongView(said.tooLong, job, draft.number) };
  return { event: { ...event, ...said } };
}

/** *Edit and start*, and *Choose…*: the request, and the messages to tick. */
export const draftPressed = formPressed(async (deps, job, data) => {
  const draft = openDraft(job, data.draft);
  if (draft === null) return { problem: await tooLate(deps, job, startedBy(data.userId, data.draft)) };
  const denial = await approvalProblem(deps, job, data.userId);
  if (denial !== null) return { problem: denial };
  const along = await readOffered(deps, job, draft);
  if ('problem' in along) return along;
  const names = await namesIn(deps, [job.prompt]);
  return draftForm(data, {
    prompt: readableText(job.prompt, names),
    lines: [...toLines(along), ...(await repliesBelow(deps, job.id))],
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  });
});

export const draftSubmitted = formSubmitted(
  { field: formIds.prompt, button: buttons.editDraft.id },
  async (deps, { draft: number, userId }, job, { view }) => {
    const draft = openDraft(job, number);
    if (draft === null) return { event: startedBy(userId, number) };
    const denial = await approvalProblem(deps, job, userId);
    if (denial !== null) return { problem: denial };
    const { text: prompt, ticked, tickable } = filledIn(deps, view);
    const own = judgePrompt(unescaped(prompt), deps.newContext().policy.promptMaxLength);
    if (own.kind !== 'ok') return { problem: refusalAtField(own) };
    const replies = await repliesBelow(deps, job.id);
    const isReply = (ts: string) => replies.some(({ id }) => timeIn(id) === ts);
    const tickedTs = ticked.map(timeIn).sort();
    const messages = tickedTs.filter((ts) => !isReply(ts));
    const along = await readAlong(deps, job, draft, messages);
    if ('problem' in along) return along;
    const chosen = replies.filter(({ id }) => tickedTs.includes(timeIn(id)));
    const changed = changedIn([...toLines(along), ...chosen], ticked);
    if (changed !== null) return changed;
    const said = saidAlong(deps, { ...job, prompt }, draft, along);
    if ('tooLong' in said) return { problem: refusalView(said.tooLong) };
    const withheld = tickable.map(timeIn).filter((ts) => isReply(ts) && !tickedTs.includes(ts));
    return {
      event: { ...startedBy(userId, number), prompt, ...said, withheld },
      instead: async (tx) => {
        const problem = await threadTakenProblem(tx, job, userId);
        return problem && { problem };
      },
    };
  },
);

function startedBy(userId: string, draft = 0) {
  return { type: 'draft_started', draft, userId } as const;
}

/** The button's draft, if it is still the job's current one. */
function openDraft({ stage }: Job, number: number | undefined): Draft | null {
  return stage.kind === 'draft' && stage.number === number ? stage : null;
}

/** Why the person may not start drafts there, by the current settings; null: they may. */
async function approvalProblem(
  deps: ListenerDeps,
  { channelId }: Job,
  userId: string,
): Promise<SlackMessage | null> {
  const approvers = approversIn(deps.newContext().rulesOf(deps.teamId), channelId);
  if (approvers.length === 0 || approvers.includes(userId)) return null;
  noteRefusal(deps, userId, 'no_approver');
  return onlyTheseView(approvers, await namesOf(deps, approvers));
}

function namesOf(deps: ListenerDeps, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, READ_WITHIN_MS, deps.names.named(userIds), new Map());
}

const NOTHING: Along = { messages: [], names: new Map() };

/** @param messages the times of those that go along */
function readAlong(
  deps: ListenerDeps,
  job: Job,
  draft: Draft,
  messages: readonly string[],
): Promise<Along | Problem> {
  return read(deps, job, draft, messages[0], (found) => found.filter(({ ts }) => messages.includes(ts)));
}

/**
 * Everything that may go along and is no reply to the draft, messages by bots included, if Slack answers in
 * time.
 */
async function readOffered(deps: ListenerDeps, job: Job, draft: Draft): Promise<Along | Problem> {
  const { thread, messages } = draft;
  const { followUpMode } = await deps.store.transaction(async (tx) => {
    const saved = await tx.channelSettings.get(job.teamId, job.channelId);
    return policyOf({ job, saved: saved?.settings ?? null }, deps.newContext());
  });
  const isReply = (message: ThreadMessage) => {
    const reply = replyOf(message, deps.botUserId)?.reply;
    const isOurs = followUpMode !== 'mentions' || reply?.mentionsBot;
    return reply !== undefined && !isBeforeJob(job, message.ts) && isOurs;
  };
  const offered = await read(deps, job, draft, messages[0] ?? thread?.lastTs, (found) =>
    offeredMessages(found, draftedMessageTs(job.origin) ?? '', deps.botUserId).offered.filter(
      (message) => !isReply(message),
    ),
  );
  return 'problem' in offered && messages.length === 0 ? NOTHING : offered;
}

async function read(
  deps: ListenerDeps,
  { channelId }: Job,
  { thread }: Draft,
  fromTs: string | undefined,
  pick: (found: readonly ThreadMessage[]) => readonly ThreadMessage[],
): Promise<Along | Problem> {
  if (thread === null || fromTs === undefined) return NOTHING;
  const reading = deps.poster.thread(channelId, thread.threadTs, fromTs);
  const found = await readThread(deps, channelId, READ_WITHIN_MS, reading);
  if ('problem' in found) return found;
  // The root is always included.
  const messages = pick(found.filter(({ ts }) => Number(ts) >= Number(fromTs)));
  return { messages, names: await namesOf(deps, peopleIn(messages)) };
}

/** What people wrote below the draft: it goes along unless they untick it. */
async function repliesBelow(deps: ListenerDeps, jobId: string): Promise<ThreadLine[]> {
  const state = await deps.store.transaction((tx) => tx.jobs.shown(jobId));
  const replies = state?.followUps.filter((one) => one.state === 'waiting').slice(-REPLIES_MAX) ?? [];
  const people = replies.flatMap(({ userId, text }) => [userId, ...mentionedUserIds(text)]);
  const names = await namesOf(deps, [...new Set(people)]);
  return replies.map((reply) => ({
    id: versionId(reply.messageTs, reply.editedTs),
    author: names.get(reply.userId) ?? labels.somebody,
    text: readableText(promptOf(reply), names),
  }));
}

/** The messages as context for the agent; or that they are too long together with the request. */
function saidAlong(
  deps: ListenerDeps,
  job: Job,
  draft: Draft,
  along: Along,
): Pick<EventOf<'draft_started'>, 'said' | 'attachments'> | { readonly tooLong: Refusal } {
  const { messages } = along;
  const threadTs = draft.thread?.threadTs ?? null;
  const said = threadContext(along, linkTo(deps, { channelId: job.channelId, threadTs }));
  const whole = startPromptOf({ ...job, context: [job.context, said].filter(Boolean).join('\n\n') });
  const verdict = judgePrompt(readableText(whole, new Map()), deps.newContext().policy.promptMaxLength);
  if (verdict.kind === 'too_long') {
    const isAlone = messages.length === 0;
    return { tooLong: isAlone ? verdict : { ...verdict, kind: 'too_long_together', mayUntick: true } };
  }
  return { said, attachments: mergeAttachments(messages.map(attachmentsIn)) };
}
