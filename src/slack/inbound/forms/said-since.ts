import { applyEvent, policyOf } from '../../../engine/apply-event.ts';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import { turnsOf } from '../../../jobs/follow-ups/turns.ts';
import { judgePrompt, threadWordOf } from '../../../jobs/requests/command.ts';
import { type MessageEvent, replyOf } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn } from '../../messages/thread-messages.ts';
import { decodeSaidSince, type SaidSince } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { readableText } from '../../protocol/slack-text.ts';
import { noFormView, saidSinceForm, saidSinceView, threadNotReadView } from '../../views/forms/compose.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import { sentAnywayView } from '../../views/thread/requester.ts';
import type { ListenerDeps, Press, Submission } from '../listener.ts';
import { answerWriter } from '../messages/answers.ts';
import { jobAdmissionProblem, linkTo, openForm, storeRequest } from '../requests/door.ts';
import { unknownJobAnswer } from '../requests/job-event.ts';
import { filledIn } from './submit.ts';
import {
  type Along,
  authorOf,
  changedIn,
  editedSince,
  type Problem,
  readThread,
  threadContext,
  tickedOf,
  toLines,
} from './thread.ts';

/** Storing needs the rest of the 3 seconds. */
const READ_WITHIN_MS = 1_200;

/**
 * In mention-only channels and muted threads, a mention that goes out offers to send what people wrote there
 * since the last turn. Nothing of it is sent unasked.
 */
export async function offerSaidSince(
  deps: ListenerDeps,
  { channel: channelId, ts: messageTs, thread_ts: threadTs = '', user: userId = '' }: MessageEvent,
  jobId: string,
): Promise<void> {
  const turn = await deps.store.transaction(async (tx) => {
    const found = await tx.jobs.shown(jobId);
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
  const said = await read(deps, since);
  if ('problem' in said || said.messages.length === 0) return;
  const authors = said.messages.map((message) => authorOf(message, said.names));
  const at = { channelId, threadTs, userId, keys: [`since:${deps.teamId}:${channelId}:${messageTs}`] };
  await answerWriter(deps, at, saidSinceView(turn.job, since, authors));
}

/** What people wrote between the last turn and the mention, without replies of their own. */
function read(deps: ListenerDeps, since: SaidSince): Promise<Along | Problem> {
  const { channelId, threadTs, messageTs, sinceTs } = since;
  const reading = async () => {
    const found = await deps.poster.thread(channelId, threadTs, sinceTs);
    const messages = offeredMessages(found, messageTs, deps.botUserId).offered.filter((message) => {
      const reply = replyOf({ ...message, channel: channelId }, deps.botUserId)?.reply;
      const isBetween = message.ts > sinceTs && message.ts < messageTs;
      return isBetween && reply !== undefined && !reply.mentionsBot && threadWordOf(reply.text) === null;
    });
    return { messages, names: await deps.names.named(peopleIn(messages)) };
  };
  return readThread(deps, channelId, READ_WITHIN_MS, reading());
}

/** Elsewhere, this could show a thread to someone removed from its channel. */
function saidSinceOf({ value, channelId }: Press): SaidSince | null {
  const since = decodeSaidSince(value);
  return since?.channelId === channelId ? since : null;
}

/** *Send them*: as one reply of the person who presses, once, and as shown. */
export async function sendSaidSince(deps: ListenerDeps, press: Press): Promise<void> {
  const since = saidSinceOf(press);
  if (since === null) return press.ack();
  const said = await read(deps, since);
  if ('problem' in said) return press.tell(said.problem);
  const problem =
    editedSince(said, since.messageTs)?.problem ?? (await store(deps, since, said, press.userId));
  await (problem === null ? press.replace(sentAnywayView) : press.tell(problem));
}

/** *Choose messages…*: a form with all of them ticked. */
export async function chooseSaidSince(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  const since = saidSinceOf(press);
  if (since === null) return;
  const said = await read(deps, since);
  if ('problem' in said) return press.tellBeside(said.problem);
  const viewId = await openForm(deps, press.triggerId, saidSinceForm(since, toLines(said)));
  if (viewId === null) await press.tellBeside(noFormView);
}

export async function saidSinceSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const since = decodeSaidSince(form.view.private_metadata);
  const { ticked } = filledIn(deps, form.view);
  const refuse = (problem: SlackMessage) => form.tell(problem, FIRST_GROUP);
  if (since === null) return refuse(threadNotReadView(false));
  const all = await read(deps, since);
  if ('problem' in all) return refuse(all.problem);
  const said = { ...all, messages: tickedOf(all.messages, ticked) };
  const changed = changedIn(toLines(said), ticked);
  if (changed !== null) return refuse(changed.problem);
  const problem = said.messages.length === 0 ? null : await store(deps, since, said, form.userId);
  await (problem === null ? form.ack() : refuse(problem));
}

const FIRST_GROUP = `${formIds.messages}0`;

/** Stores the reply once for each mention. Returns what to tell the person if it could not be stored. */
async function store(
  deps: ListenerDeps,
  { jobId, channelId, threadTs, messageTs }: SaidSince,
  said: Along,
  userId: string,
): Promise<SlackMessage | null> {
  const text = threadContext(said, linkTo(deps, { channelId, threadTs }));
  const { promptMaxLength } = deps.newContext().policy;
  const verdict = judgePrompt(readableText(text, new Map()), promptMaxLength);
  if (verdict.kind !== 'ok') return refusalView(verdict);
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
  const stored = await storeRequest(deps, write, () => jobAdmissionProblem(deps, userId, jobId));
  if ('problem' in stored) return stored.problem;
  return stored.result ? null : unknownJobAnswer(deps);
}
