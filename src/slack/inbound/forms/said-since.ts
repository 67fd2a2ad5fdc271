import { applyEvent, policyOf } from '../../../engine/apply-event.ts';
import { slackTime } from '../../../jobs/follow-ups/follow-up.ts';
import { turnsOf } from '../../../jobs/follow-ups/turns.ts';
import { judgePrompt, threadWordOf } from '../../../jobs/requests/command.ts';
import { type MessageEvent, replyOf } from '../../messages/message-event.ts';
import { offeredMessages, peopleIn } from '../../messages/thread-messages.ts';
import { decodeSaidSince, type SaidSince } from '../../protocol/form-data.ts';
import { readableText } from '../../protocol/slack-text.ts';
import {
  changedMeanwhileView,
  editedMeanwhileView,
  noFormView,
  saidSinceForm,
  saidSinceView,
  threadNotReadView,
} from '../../views/forms/compose.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import { sentAnywayView } from '../../views/thread/requester.ts';
import type { ThreadMessage } from '../../workspace/web-api/caller.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { answerWriter } from '../messages/answers.ts';
import {
  answerBeside,
  bestEffort,
  inTime,
  jobAdmissionProblem,
  linkTo,
  openForm,
  storeRequest,
  unknownJobAnswer,
} from '../requests/door.ts';
import { authorOf, threadContext, toLines } from './draft-thread.ts';
import { filledIn, refuseAtField } from './submit.ts';

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
  const said = await readable(deps, since);
  if (said === null || said.messages.length === 0) return;
  const authors = said.messages.map((message) => authorOf(message, said.names));
  const at = { channelId, threadTs, userId, keys: [`since:${deps.teamId}:${channelId}:${messageTs}`] };
  await answerWriter(deps, at, saidSinceView(turn.job, since, authors));
}

interface Said {
  readonly messages: readonly ThreadMessage[];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * What people wrote between the last turn and the mention, without replies of their own. Null: not in time.
 */
function read(deps: ListenerDeps, since: SaidSince): Promise<Said | null> {
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
  return inTime(deps, READ_WITHIN_MS, reading(), null);
}

/** *Send them*: as one reply of the person who presses, once, and as shown. */
export function sendSaidSince(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const since = decodeSaidSince(action.value ?? '');
    const tell = async (message: SlackMessage) => {
      await ack();
      await answerBeside(deps, { body, respond }, message);
    };
    // Elsewhere, this could show a thread to someone removed from its channel.
    if (since === null || body.channel?.id !== since.channelId) return ack();
    const said = await readable(deps, since);
    if (said === null) return tell(threadNotReadView(false));
    const edited = said.messages.find((message) => (message.edited?.ts ?? '') > since.messageTs);
    if (edited !== undefined) return tell(editedMeanwhileView(authorOf(edited, said.names)));
    const problem = await store(deps, { since, said, userId: body.user.id });
    if (problem !== null) return tell(problem);
    await ack();
    await bestEffort(deps, respond({ replace_original: true, ...sentAnywayView }));
  };
}

/** *Choose messages…*: a form with all of them ticked. */
export function chooseSaidSince(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    await ack();
    const since = decodeSaidSince(action.value ?? '');
    if (since === null || body.channel?.id !== since.channelId) return;
    const said = await readable(deps, since);
    if (said === null) return answerBeside(deps, { body, respond }, threadNotReadView(false));
    const view = saidSinceForm(since, toLines(said.messages, said.names));
    if ((await openForm(deps, body.trigger_id, view)) === null) {
      await answerBeside(deps, { body, respond }, noFormView);
    }
  };
}

export function saidSinceSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const since = decodeSaidSince(view.private_metadata);
    const { ticked } = filledIn(deps, view);
    const refuse = (problem: SlackMessage) => refuseAtField(ack, problem, FIRST_GROUP);
    const all = since && (await readable(deps, since));
    if (since === null || all === null) return refuse(threadNotReadView(false));
    const tickedTs = new Set(ticked.map((id) => id.split('|', 1)[0]));
    const said = { ...all, messages: all.messages.filter(({ ts }) => tickedTs.has(ts)) };
    const changed = toLines(said.messages, said.names).find(({ id }) => !ticked.includes(id));
    if (changed !== undefined) return refuse(changedMeanwhileView(changed));
    if (said.messages.length === 0) return ack();
    const problem = await store(deps, { since, said, userId: body.user.id });
    await (problem === null ? ack() : refuse(problem));
  };
}

const FIRST_GROUP = 'messages_0';

async function readable(deps: ListenerDeps, since: SaidSince): Promise<Said | null> {
  try {
    return await read(deps, since);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('thread_not_offered', { channel_id: since.channelId, error });
    return null;
  }
}

/** Stores the reply once for each mention. Returns what to tell the person if it could not be stored. */
async function store(
  deps: ListenerDeps,
  { since, said, userId }: { readonly since: SaidSince; readonly said: Said; readonly userId: string },
): Promise<SlackMessage | null> {
  const { jobId, channelId, threadTs, messageTs } = since;
  const link = linkTo(deps, { channelId, threadTs });
  const text = threadContext(said.messages, said.names, link) ?? '';
  const { promptMaxLength } = deps.newContext().policy;
  const verdict = judgePrompt(readableText(text, new Map()), promptMaxLength);
  if (verdict.kind !== 'ok') return refusalView(verdict);
  const stored = await storeRequest(deps, {
    admit: () => jobAdmissionProblem(deps, userId, jobId),
    write: () =>
      deps.store.transaction(async (tx) => {
        const job = await tx.jobs.get(jobId);
        if (job?.teamId !== deps.teamId || job.channelId !== channelId) return false;
        const context = deps.newContext();
        if (await tx.inboundRequests.remember([`sent_since:${jobId}:${messageTs}`], context.nowMs)) {
          await applyEvent(tx, jobId, { type: 'follow_up_written', userId, text }, context);
        }
        return true;
      }),
  });
  if ('problem' in stored) return stored.problem;
  return stored.result ? null : unknownJobAnswer(deps);
}
