import { applyEvent, policyOf } from '#engine/apply-event.ts';
import { slackTime } from '#jobs/follow-ups/follow-up.ts';
import { turnsOf } from '#jobs/follow-ups/turns.ts';
import { judgePrompt, parseProjectPrefix, threadWordOf, unescaped } from '#jobs/requests/command.ts';
import { attachmentsIn, attachmentsInWords, mergeAttachments } from '../../messages/attachments.ts';
import {
  type MessageEvent,
  offeredMessages,
  peopleIn,
  replyOf,
  requestIn,
  saidIn,
  writerOf,
} from '../../messages/message-event.ts';
import {
  decode,
  type MentionedIn,
  mentionedInData,
  offeredThreadData,
  type SaidSince,
  saidSinceData,
} from '../../protocol/ids.ts';
import { displayText, escapeMrkdwn, readableText } from '../../protocol/slack-text.ts';
import {
  editedMeanwhileView,
  noJobInThreadView,
  questionView,
  readingThreadView,
  saidSinceForm,
  saidSinceView,
  type ThreadLine,
  type ThreadPreview,
  threadNotReadView,
  threadPreviewView,
  threadTooLongView,
} from '../../views/compose.ts';
import { plainModal } from '../../views/form.ts';
import { notReadView, refusalView, sentAnywayView, startingView } from '../../views/private-answers.ts';
import { isDirectMessage, labels } from '../../views/text.ts';
import { SlackCallError } from '../../workspace/caller.ts';
import { TOO_MANY_MESSAGES } from '../../workspace/poster.ts';
import { jobAdmissionProblem } from '../admission.ts';
import {
  inTime,
  linkTo,
  openOrTell,
  openThenFill,
  promptMaxOf,
  Refused,
  refusedIn,
  unknownJobAnswer,
} from '../interaction.ts';
import type { InteractionListener, ListenerDeps, Press, Presses, Submissions } from '../listener.ts';
import { answerWriter, storeRequest } from '../once.ts';
import { projectOf, startFrom, startFromForm } from '../start-job.ts';

export type Excerpt = Awaited<ReturnType<typeof readThread>>;

type PickMessages = (found: readonly MessageEvent[]) => readonly MessageEvent[];

/** Throws Refused if Slack fails or is late. */
export async function readThread(
  deps: ListenerDeps,
  { channelId, threadTs, fromTs }: { channelId: string; threadTs: string; fromTs?: string },
  pick: PickMessages,
) {
  const read = async () => {
    /** With the root. */
    const found = await deps.poster.thread(channelId, threadTs, fromTs);
    const messages = pick(found);
    return { messages, names: await deps.names.named(peopleIn(messages)), found };
  };
  try {
    const excerpt = await inTime(deps, 'thread', read(), null);
    if (excerpt !== null) return excerpt;
  } catch (error) {
    if (error instanceof SlackCallError) throw new Refused(notOffered(deps, channelId, error));
    throw error;
  }
  throw new Refused(threadNotReadView);
}

function notOffered({ log }: ListenerDeps, channelId: string, error: unknown) {
  log.warn('thread_not_offered', { channel_id: channelId, error });
  if (!(error instanceof SlackCallError)) return notReadView;
  return error.failure.code === TOO_MANY_MESSAGES ? threadTooLongView : threadNotReadView;
}

function pickTicked(ticked: readonly string[]): PickMessages {
  const tickedTs = new Set(ticked.map(timeIn));
  return (found) => found.filter(({ ts }) => tickedTs.has(ts));
}

export function refuseChanged(lines: readonly ThreadLine[], ticked: readonly string[]): void {
  const changed = lines.find(({ id }) => !ticked.includes(id));
  if (changed !== undefined) throw new Refused(editedMeanwhileView(changed.author));
}

/** The author of the mention has not seen later edits. */
function refuseEdited({ messages, names }: Excerpt, mentionTs: string) {
  const edited = messages.find((message) => (message.edited?.ts ?? '') > mentionTs);
  if (edited !== undefined) throw new Refused(editedMeanwhileView(authorOf(edited, names)));
}

export function toLines({ messages, names }: Excerpt): ThreadLine[] {
  return messages.map((message) => {
    const files = unescaped(attachmentsInWords(attachmentsIn(message)));
    return {
      id: versionId(message.ts, message.edited?.ts),
      author: authorOf(message, names) + (files === '' ? '' : ` · 📎 ${files}`),
      text: readableText(saidIn(message), names),
    };
  });
}

export function versionId(ts: string, editedTs: string | null | undefined): string {
  return `${ts}|${editedTs ?? ''}`;
}

export function timeIn(id: string): string {
  return id.split('|', 1)[0] ?? '';
}

/** Escaped as Slack delivers text; empty without messages. */
export function threadContext(
  deps: ListenerDeps,
  { messages, names }: Excerpt,
  thread: Parameters<typeof linkTo>[1],
): string {
  if (messages.length === 0) return '';
  const permalink = linkTo(deps, thread);
  const place = permalink === null ? '' : ` ${escapeMrkdwn(permalink)}`;
  const lines = messages.map((message) => {
    const said = saidIn(message);
    return `${escapeMrkdwn(authorOf(message, names))}:${NEEDS_OWN_LINE.test(said) ? '\n' : ' '}${said}`;
  });
  return [`Context from the Slack thread${place}:`, ...lines].join('\n');
}

/** A table, list, code block or quotation. */
const NEEDS_OWN_LINE = /^(?:\| |```|• |1\. |&gt; )/;

function authorOf({ user, username }: MessageEvent, names: ReadonlyMap<string, string>) {
  const name = (user === undefined ? undefined : names.get(user)) ?? username ?? 'somebody';
  return displayText(name).replace(/\s+/g, ' ');
}

function authorsOf({ messages, names }: Excerpt) {
  return messages.map((message) => authorOf(message, names));
}

export const threadPresses = {
  chooseMessages: async (deps, press) => {
    const mentioned = decode(mentionedInData, press.value);
    const problem = mentioned && (await problemOf(deps, mentioned, press));
    await press.ack();
    if (mentioned === null) return null;
    if (problem !== null) return press.replace(problem);
    const reading = plainModal(labels.askDocsAgent, readingThreadView);
    const viewOf = () => preview(deps, mentioned, press.responseUrl).then(threadPreviewView);
    return openThenFill(deps, press, reading, viewOf, (error) =>
      plainModal(labels.askDocsAgent, notOffered(deps, mentioned.channelId, error)),
    );
  },

  sendSaidSince: async (deps, press) => {
    const since = saidSinceOf(press);
    if (since === null) return null;
    const said = await readSaidSince(deps, since);
    refuseEdited(said, since.messageTs);
    await storeReply(deps, since, said, press.userId);
    return press.replace(sentAnywayView);
  },

  chooseSaidSince: async (deps, press) => {
    await press.ack();
    const since = saidSinceOf(press);
    if (since === null) return null;
    return openOrTell(deps, press, saidSinceForm(since, toLines(await readSaidSince(deps, since))));
  },
  startWithThread: startInThread(true),
  onlyMyWords: startInThread(false),
} satisfies Presses;

async function problemOf(deps: ListenerDeps, { channelId, threadTs }: MentionedIn, press: Press) {
  // Elsewhere, this could show a thread to someone removed from its channel.
  if (press.channelId !== channelId) return noJobInThreadView;
  const owner = await deps.store.transaction((tx) => tx.jobs.findByThread(deps.teamId, channelId, threadTs));
  return owner === null ? null : refusalView({ kind: 'thread_taken' });
}

/** Null: Slack did not return the thread. */
export async function authorsAlong(deps: ListenerDeps, mentioned: MentionedIn): Promise<string[] | null> {
  const read = await readThread(deps, mentioned, pickBefore(deps, mentioned)).catch(refusedIn);
  return read instanceof Refused ? null : authorsOf(read);
}

/** Nobody was shown later messages. Slack's timestamps sort as text. */
function pickBefore({ botUserId }: ListenerDeps, { messageTs }: MentionedIn): PickMessages {
  return (found) => offeredMessages(found, messageTs, botUserId).offered.filter(({ ts }) => ts < messageTs);
}

function startInThread(withThread: boolean): InteractionListener<Press> {
  return async (deps, press) => {
    const mentioned = decode(mentionedInData, press.value);
    if (mentioned === null) return null;
    const problem = await problemOf(deps, mentioned, press);
    if (problem !== null) return press.replace(problem);
    const read = await readThread(deps, mentioned, withThread ? pickBefore(deps, mentioned) : () => []);
    const mention = read.found.find(({ ts }) => ts === mentioned.messageTs);
    if (mention === undefined) return threadNotReadView;
    refuseEdited(read, mentioned.messageTs);
    const text = requestIn(mention, deps.botUserId).text;
    const question = await startFrom(deps, press, { ...requestWith(deps, read, mentioned), text });
    const started = question === null;
    return press.replace(started ? startingView : questionView(question, linkTo(deps, question.sameAs)));
  };
}

function requestWith(
  deps: ListenerDeps,
  excerpt: Excerpt,
  { channelId, threadTs, messageTs: requestTs }: MentionedIn,
) {
  const { found, messages } = excerpt;
  const mention = found.filter(({ ts }) => ts === requestTs);
  return {
    channelId,
    origin: { kind: isDirectMessage(channelId) ? 'direct_message' : 'mention' },
    thread: { threadTs, lastTs: found.at(-1)?.ts ?? threadTs },
    requestTs,
    attachments: mergeAttachments([...mention, ...messages].map(attachmentsIn)),
    context: threadContext(deps, excerpt, { channelId, threadTs }),
  } as const;
}

async function preview(
  deps: ListenerDeps,
  mentioned: MentionedIn,
  responseUrl: string | null,
): Promise<ThreadPreview> {
  const { channelId, threadTs, messageTs } = mentioned;
  const { botUserId, projects } = deps;
  const found = await deps.poster.thread(channelId, threadTs);
  const { offered, leftOut } = offeredMessages(found, messageTs, botUserId);
  const mention = found.find(({ ts }) => ts === messageTs);
  const names = await deps.names.named(peopleIn(mention ? [...offered, mention] : offered));
  const text = mention ? requestIn(mention, botUserId).text : '';
  const byDefault = await projectOf(deps, channelId);
  const to = parseProjectPrefix(text, projects, byDefault);
  const named = to.project.id === byDefault.id ? null : to;
  return {
    thread: {
      ...mentioned,
      responseUrl,
      oldestTs: found.find(({ ts }) => ts === messageTs || ts === offered[0]?.ts)?.ts ?? messageTs,
    },
    prompt: readableText(named?.prompt ?? text, names),
    lines: toLines({ messages: offered, names, found }),
    leftOut,
    projects,
    project: named?.project ?? byDefault,
    promptMaxLength: promptMaxOf(deps),
  };
}

export const threadSubmissions = {
  threadPreview: async (deps, form) => {
    const offered = decode(offeredThreadData, form.view.private_metadata);
    if (offered === null) return threadNotReadView;
    const { ticked } = form.values;
    const read = await readThread(deps, { ...offered, fromTs: offered.oldestTs }, pickTicked(ticked));
    refuseChanged(toLines(read), ticked);
    const { responseUrl } = offered;
    return startFromForm(deps, form, { ...requestWith(deps, read, offered), responseUrl });
  },

  saidSince: async (deps, form) => {
    const since = decode(saidSinceData, form.view.private_metadata);
    const { ticked } = form.values;
    if (since === null) return threadNotReadView;
    const all = await readSaidSince(deps, since);
    const said = { ...all, messages: pickTicked(ticked)(all.messages) };
    refuseChanged(toLines(said), ticked);
    if (said.messages.length > 0) await storeReply(deps, since, said, form.userId);
    return null;
  },
} satisfies Submissions;

export async function offerSaidSince(
  deps: ListenerDeps,
  message: MessageEvent,
  jobId: string,
): Promise<void> {
  const { channel: channelId, ts: messageTs, thread_ts: threadTs = '' } = message;
  const turn = await deps.store.transaction(async (tx) => {
    const found = await tx.jobs.readUnlocked(jobId);
    if (found === null) return null;
    const { job, followUps, saved } = found;
    const goesOut = followUps.some((one) => one.messageTs === messageTs && one.state === 'waiting');
    const { followUpMode } = policyOf({ job, saved }, deps.newContext());
    if (!goesOut || (followUpMode !== 'mentions' && !job.muted)) return null;
    const lastTurn = turnsOf(await tx.lists.callsOf(jobId)).at(-1);
    return { job, sinceTs: slackTime(lastTurn?.startedAtMs ?? job.requestedAtMs) };
  });
  if (turn === null) return;
  const since = { jobId, channelId, threadTs, messageTs, sinceTs: turn.sinceTs };
  const said = await readSaidSince(deps, since).catch(refusedIn);
  if (said instanceof Refused || said.messages.length === 0) return;
  const keys = [`since:${deps.teamId}:${channelId}:${messageTs}`];
  await answerWriter(deps, { ...writerOf(message), keys }, saidSinceView(turn.job, since, authorsOf(said)));
}

/** Omits replies that were already sent. */
function readSaidSince(deps: ListenerDeps, { channelId, threadTs, messageTs, sinceTs }: SaidSince) {
  const { botUserId } = deps;
  return readThread(deps, { channelId, threadTs, fromTs: sinceTs }, (found) =>
    offeredMessages(found, messageTs, botUserId).offered.filter((message) => {
      const reply = replyOf({ ...message, channel: channelId }, botUserId)?.reply;
      const isBetween = message.ts > sinceTs && message.ts < messageTs;
      return isBetween && reply !== undefined && !reply.mentionsBot && threadWordOf(reply.text) === null;
    }),
  );
}

/** Elsewhere, this could show a thread to someone removed from its channel. */
function saidSinceOf({ value, channelId }: Press): SaidSince | null {
  const since = decode(saidSinceData, value);
  return since?.channelId === channelId ? since : null;
}

async function storeReply(deps: ListenerDeps, since: SaidSince, said: Excerpt, userId: string) {
  const { jobId, channelId, messageTs } = since;
  const text = threadContext(deps, said, since);
  const verdict = judgePrompt(readableText(text), promptMaxOf(deps));
  if (verdict.kind !== 'ok') throw new Refused(refusalView(verdict));
  const write = () =>
    deps.store.transaction(async (tx) => {
      const job = await tx.jobs.get(jobId);
      if (job?.teamId !== deps.teamId || job.channelId !== channelId) return false;
      const context = deps.newContext();
      if (await tx.inboundRequests.remember([`sent_since:${jobId}:${messageTs}`], context.nowMs)) {
        await applyEvent(tx, jobId, { type: 'follow_up_written', userId, text }, context);
      }
      return true;
    });
  const isOurs = await storeRequest(deps, write, () => jobAdmissionProblem(deps, userId, jobId));
  if (!isOurs) throw new Refused(await unknownJobAnswer(deps));
}
