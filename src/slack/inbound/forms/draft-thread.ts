import { policyOf } from '../../../engine/apply-event.ts';
import type { Draft } from '../../../jobs/draft.ts';
import type { EventOf } from '../../../jobs/event.ts';
import { promptOf } from '../../../jobs/follow-ups/follow-up-queue.ts';
import { draftedMessageTs, isBeforeJob, type Job, startPromptOf } from '../../../jobs/job.ts';
import { approversIn, type FollowUpMode } from '../../../jobs/policy.ts';
import { judgePrompt } from '../../../jobs/requests/command.ts';
import { attachmentsIn, attachmentsInWords, mergeAttachments } from '../../messages/attachments.ts';
import { replyOf } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn, saidIn } from '../../messages/thread-messages.ts';
import {
  displayText,
  escapeMrkdwn,
  mentionedUserIds,
  readableText,
  unescapeMrkdwn,
} from '../../protocol/slack-text.ts';
import { type ThreadLine, threadNotReadView } from '../../views/forms/compose.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { labels } from '../../views/parts/words.ts';
import type { Refusal } from '../../views/refusals.ts';
import { onlyTheseView } from '../../views/thread/draft.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRefusal } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime, linkTo } from '../requests/door.ts';

/** Part of Slack's 3 seconds; storing, or opening a form, needs the rest. */
const READ_WITHIN_MS = 1_200;

/** As many as a form can show beside the thread's messages. */
const REPLIES_MAX = 50;

type Problem = { readonly problem: SlackMessage };

/** The button's draft, if it is still the job's current one. */
export function openDraft({ stage }: Job, number: number | undefined): Draft | null {
  return stage.kind === 'draft' && stage.number === number ? stage : null;
}

/** Why the person may not start drafts there, by the current settings; null: they may. */
export async function approvalProblem(
  deps: ListenerDeps,
  { channelId }: Job,
  userId: string,
): Promise<SlackMessage | null> {
  const approvers = approversIn(deps.newContext().rulesOf(deps.teamId), channelId);
  if (approvers.length === 0 || approvers.includes(userId)) return null;
  noteRefusal(deps, userId, 'no_approver');
  const names = inTime(deps, READ_WITHIN_MS, deps.names.named(approvers), new Map<string, string>());
  return onlyTheseView(approvers, await names);
}

/** The messages that go along, as they are now and without deleted ones, and the names in them. */
export interface Along {
  readonly messages: readonly ThreadMessage[];
  readonly names: ReadonlyMap<string, string>;
}

const NOTHING: Along = { messages: [], names: new Map() };

export function readAlong(deps: ListenerDeps, job: Job, draft: Draft): Promise<Along | Problem> {
  const { messages } = draft;
  const pick: Part['pick'] = (found) => found.filter(({ ts }) => messages.includes(ts));
  return read(deps, job, draft, { fromTs: messages[0], pick });
}

/**
 * Everything that may go along and is no reply to the draft, messages by bots included, if Slack answers in
 * time.
 */
export async function readOffered(deps: ListenerDeps, job: Job, draft: Draft): Promise<Along | Problem> {
  const { thread, messages } = draft;
  const fromTs = messages[0] ?? thread?.lastTs;
  const aboutTs = draftedMessageTs(job.origin) ?? '';
  const mode = await followUpMode(deps, job);
  const isReply = (message: ThreadMessage) => {
    const found = replyOf(message, deps.botUserId);
    return (
      found !== null && !isBeforeJob(job, message.ts) && (mode !== 'mentions' || found.reply.mentionsBot)
    );
  };
  const pick: Part['pick'] = (found) =>
    offeredMessages(found, aboutTs, deps.botUserId).offered.filter((message) => !isReply(message));
  const offered = await read(deps, job, draft, { fromTs, pick });
  return 'problem' in offered && messages.length === 0 ? NOTHING : offered;
}

/** Which replies in the thread belong to the draft. */
function followUpMode(deps: ListenerDeps, job: Job): Promise<FollowUpMode> {
  return deps.store.transaction(async (tx) => {
    const saved = await tx.channelSettings.get(job.teamId, job.channelId);
    return policyOf({ job, saved: saved?.settings ?? null }, deps.newContext()).followUpMode;
  });
}

/** What people wrote below the draft: it goes along unless they untick it. */
export async function repliesBelow(deps: ListenerDeps, jobId: string): Promise<ThreadLine[]> {
  const state = await deps.store.transaction((tx) => tx.jobs.shown(jobId));
  const replies = state?.followUps.filter((one) => one.state === 'waiting').slice(-REPLIES_MAX) ?? [];
  const people = replies.flatMap(({ userId, text }) => [userId, ...mentionedUserIds(text)]);
  const unnamed = new Map<string, string>();
  const names = await inTime(deps, READ_WITHIN_MS, deps.names.named([...new Set(people)]), unnamed);
  return replies.map((reply) => ({
    id: `${reply.messageTs}|${reply.editedTs ?? ''}`,
    author: names.get(reply.userId) ?? labels.somebody,
    text: readableText(promptOf(reply), names),
  }));
}

interface Part {
  readonly fromTs: string | undefined;
  readonly pick: (found: readonly ThreadMessage[]) => readonly ThreadMessage[];
}

async function read(
  deps: ListenerDeps,
  { channelId }: Job,
  { thread }: Draft,
  { fromTs, pick }: Part,
): Promise<Along | Problem> {
  if (thread === null || fromTs === undefined) return NOTHING;
  try {
    const reading = deps.poster.thread(channelId, thread.threadTs, fromTs);
    const found = await inTime(deps, READ_WITHIN_MS, reading, null);
    if (found === null) return { problem: threadNotReadView(false) };
    // The root is always included.
    const along = pick(found.filter(({ ts }) => Number(ts) >= Number(fromTs)));
    const names = deps.names.named(peopleIn(along));
    return {
      messages: along,
      names: await inTime(deps, READ_WITHIN_MS, names, new Map<string, string>()),
    };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('thread_not_offered', { channel_id: channelId, error });
    return { problem: threadNotReadView(error.failure.code === TOO_MANY_MESSAGES) };
  }
}

/** The messages as context for the agent; or that they are too long together with the request. */
export function saidAlong(
  deps: ListenerDeps,
  job: Job,
  draft: Draft,
  { messages, names }: Along,
): Pick<EventOf<'draft_started'>, 'said' | 'attachments'> | { readonly tooLong: Refusal } {
  const threadTs = draft.thread?.threadTs ?? null;
  const said = threadContext(messages, names, linkTo(deps, { channelId: job.channelId, threadTs })) ?? '';
  const whole = startPromptOf({ ...job, context: [job.context, said].filter(Boolean).join('\n\n') });
  const verdict = judgePrompt(readableText(whole, new Map()), deps.newContext().policy.promptMaxLength);
  if (verdict.kind === 'too_long') {
    const isAlone = messages.length === 0;
    return { tooLong: isAlone ? verdict : { ...verdict, kind: 'too_long_together', mayUntick: true } };
  }
  return { said, attachments: mergeAttachments(messages.map(attachmentsIn)) };
}

/** As people read them. */
export function toLines(
  messages: readonly ThreadMessage[],
  names: ReadonlyMap<string, string>,
): ThreadLine[] {
  return messages.map((message) => ({
    id: versionOf(message),
    author: [authorOf(message, names), ...filesOf(message)].join(' · 📎 '),
    text: readableText(saidIn(message), names),
  }));
}

/** Follows the prompt, in the form in which Slack would deliver it. */
export function threadContext(
  messages: readonly ThreadMessage[],
  names: ReadonlyMap<string, string>,
  permalink: string | null,
): string | undefined {
  if (messages.length === 0) return undefined;
  const place = permalink === null ? '' : ` ${escapeMrkdwn(permalink)}`;
  const lines = messages.map((message) => {
    const said = saidIn(message);
    return `${escapeMrkdwn(authorOf(message, names))}:${NEEDS_OWN_LINE.test(said) ? '\n' : ' '}${said}`;
  });
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** A table, list, code block or quotation must start on its own line. */
const NEEDS_OWN_LINE = /^(?:\| |```|• |1\. |&gt; )/;

/** Identifies a version of the message, since edits change it. It begins with the timestamp, then `|`. */
function versionOf({ ts, edited }: ThreadMessage): string {
  return `${ts}|${edited?.ts ?? ''}`;
}

function filesOf(message: ThreadMessage): string[] {
  const names = unescapeMrkdwn(attachmentsInWords(attachmentsIn(message)));
  return names === '' ? [] : [names];
}

export function authorOf({ user, username }: ThreadMessage, names: ReadonlyMap<string, string>): string {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}
