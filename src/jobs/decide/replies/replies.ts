import type { KeptCommand, KeptReply } from '../../call.ts';
import type { Reply } from '../../event.ts';
import type { FollowUp } from '../../follow-ups/follow-up.ts';
import { isBeforeJob } from '../../job.ts';
import { isBlank, type ThreadWord, threadWordOf } from '../../requests/command.ts';
import { intentOf } from '../../requests/intent.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { dropJob } from '../start/open.ts';
import { forgetSendTrouble } from '../trouble.ts';
import { addOrRefuse, newFollowUp, putOrRefuse, refusalOf } from './line-up.ts';
import { nameOthers } from './snippets.ts';

function replyReceived(builder: DecisionBuilder, { reply }: { reply: Reply }): void {
  if (builder.followUpAt(reply.messageTs) !== null || isBeforeJob(builder.job, reply.messageTs)) return;
  const word = threadWordOf(reply.text);
  const withheld = word === null ? withheldBy(builder, reply) : null;
  if (withheld === 'mode') return;
  const followUp = newFollowUp(builder, reply, reply.attachments.snippets);
  if (word !== null) saidWord(builder, followUp, word);
  else if (withheld === 'mute') builder.excludeFollowUp(followUp, 'muted');
  else if (!isKept(builder, followUp, reply)) {
    nameOthers(builder, reply.messageTs, reply.attachments.others);
    putInLine(builder, followUp, reply);
  }
}

function putInLine(builder: DecisionBuilder, followUp: FollowUp, { text, attachments }: Reply): void {
  const { snippets, others } = attachments;
  if (snippets.length > 0) builder.schedule('read_snippets');
  const isOnlyFiles = isBlank(text) && snippets.length === 0 && others.length > 0;
  if (isOnlyFiles) builder.excludeFollowUp(followUp, 'excluded');
  else addOrRefuse(builder, followUp);
}

/**
 * A reply that is not sent yet goes out as edited, and not at all if it became an aside; if it is sent or
 * being sent, a correction is offered. A former aside goes out; what was written while the thread was muted,
 * or where only mentions are follow-ups, does so only as a mention.
 */
function replyEdited(builder: DecisionBuilder, { reply }: { reply: Reply }): void {
  const { text, editedTs } = reply;
  const before = builder.followUpAt(reply.messageTs);
  if (before === null) {
    // Where only mentions are follow-ups, other replies are not kept.
    if (reply.mentionsBot) replyReceived(builder, { reply });
    return;
  }
  // Slack's timestamps have a fixed width, so they sort as text.
  if (editedTs === null || editedTs <= (before.editedTs ?? '')) return;
  const followUp = { ...before, editedTs };
  switch (before.state) {
    case 'waiting':
    case 'not_sent':
    case 'unknown':
      unsentEdited(builder, followUp, reply);
      break;
    case 'sending':
      if (isStillHere(builder, before)) unsentEdited(builder, followUp, reply);
      else if (!before.isDeleted) builder.saveFollowUp({ ...followUp, corrected: text });
      break;
    case 'sent':
      offerCorrection(builder, { ...followUp, corrected: text });
      break;
    case 'aside':
    case 'muted':
    case 'excluded':
      excludedEdited(builder, followUp, reply);
      break;
    case 'withdrawn':
      break;
  }
}

/** It goes along with a request that has not gone out. */
function isStillHere({ pendingCreateId }: DecisionBuilder, { callId }: FollowUp): boolean {
  return pendingCreateId !== null && callId === pendingCreateId;
}

function unsentEdited(builder: DecisionBuilder, followUp: FollowUp, reply: Reply): void {
  const edited = { ...followUp, text: reply.text };
  const word = threadWordOf(reply.text);
  if (word !== null) saidWord(builder, followUp, word);
  else if (followUp.state === 'sending' || followUp.state === 'unknown') {
    // Of one whose fate is unknown, the agent may have the earlier wording.
    builder.saveFollowUp(followUp.state === 'sending' ? edited : { ...followUp, corrected: reply.text });
    return;
  } else if (!isKept(builder, edited, reply)) {
    putOrRefuse(builder, edited, followUp.state === 'waiting' ? refusalOf(builder, edited) : null);
    return;
  }
  forgetSendTrouble(builder);
  builder.refreshCard();
}

function excludedEdited(builder: DecisionBuilder, followUp: FollowUp, reply: Reply): void {
  const { text, attachments } = reply;
  const word = threadWordOf(text);
  const withheld = withheldBy(builder, reply);
  if (word !== null) saidWord(builder, followUp, word);
  else if (followUp.state === 'muted' && !reply.mentionsBot) builder.saveFollowUp(followUp);
  else if (withheld !== null) builder.excludeFollowUp(followUp, withheld === 'mute' ? 'muted' : 'excluded');
  else if (!isKept(builder, { ...followUp, text }, reply)) {
    // Files alone were named when they arrived.
    if (followUp.state !== 'excluded') nameOthers(builder, reply.messageTs, attachments.others);
    const { snippets } = attachments;
    const { nowMs: receivedAtMs } = builder.context;
    putInLine(builder, { ...followUp, text, snippets, state: 'waiting', receivedAtMs }, reply);
  }
}

export const replyDeciders = {
  reply_received: replyReceived,

  reply_edited: replyEdited,

  /** Withdraws a reply unless it is sent; if it is being sent, that is remembered. */
  reply_deleted(builder, { messageTs, overtaken }) {
    const followUp = builder.followUpAt(messageTs);
    // An edit may also arrive after the deletion, and would look like a reply that was not stored.
    if (followUp === null && overtaken !== undefined) {
      const empty = newFollowUp(builder, { ...overtaken, text: '' });
      builder.saveFollowUp({ ...empty, state: 'withdrawn' });
    }
    if (followUp === null || followUp.state === 'withdrawn') return;
    if (isStillHere(builder, followUp)) {
      builder.updateFollowUps([followUp], { state: 'withdrawn', callId: null });
      return;
    }
    if (followUp.state === 'sending' || followUp.state === 'sent') {
      builder.saveFollowUp({ ...followUp, corrected: null, isDeleted: true });
      if (followUp.state === 'sent' && !followUp.isDeleted) sayItWasSent(builder, followUp);
      return;
    }
    builder.updateFollowUps([followUp], { state: 'withdrawn' });
    forgetSendTrouble(builder);
  },

  /**
   * The message that asks was edited. Before it goes out, the edit counts, and withdraws it if nothing is asked
   * ("stop"); later, its author may send the correction, as with replies.
   */
  request_rewritten(builder, { reply }) {
    const { job } = builder;
    const { messageTs, userId, text, editedTs } = reply;
    if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
    // Its correction was sent, and is a reply.
    if (builder.followUpAt(messageTs) !== null) {
      replyEdited(builder, { reply });
      return;
    }
    if (editedTs === null || editedTs <= (job.requestEditedTs ?? '')) return;
    builder.change({ requestEditedTs: editedTs });
    if (isRequestHere(builder) && ['stop', 'small_talk'].includes(intentOf(text).kind)) {
      requestDeleted(builder, { messageTs, userId });
      return;
    }
    if (isRequestHere(builder) || job.stage.kind === 'rejected') {
      builder.change({ prompt: text });
      builder.refreshCard();
      return;
    }
    const isWorthwhile = isWorthSending(job.prompt, text);
    builder.change({ correction: isWorthwhile ? text : '' });
    if (!isWorthwhile || job.correction !== undefined) return;
    builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
  },

  request_deleted: requestDeleted,

  mute_pressed(builder, { userId }) {
    if (!builder.job.muted && builder.job.threadTs !== null) mute(builder, true, userId);
  },

  /** *Send it anyway*: once. An aside has no text to send. */
  correction_pressed(builder, { messageTs }) {
    correctRequest(builder, messageTs);
    sendCorrection(builder, messageTs);
  },

  send_anyway_pressed(builder, { messageTs }) {
    const followUp = builder.followUpAt(messageTs);
    if (followUp?.state !== 'aside' || isBlank(followUp.text)) return;
    const waiting: FollowUp = { ...followUp, state: 'waiting', receivedAtMs: builder.context.nowMs };
    addOrRefuse(builder, waiting);
  },
} satisfies Partial<Deciders>;

/** Tells the author of a deleted reply, while the agent works on it. */
export function sayItWasSent(
  builder: DecisionBuilder,
  { messageTs, userId }: Pick<FollowUp, 'messageTs' | 'userId'>,
): void {
  if (builder.job.stage.kind !== 'working') return;
  builder.postEphemeral(userId, { kind: 'deleted_after_sending', messageTs });
}

/** The reply is remembered: it may be edited into a request. Muting is announced even if nothing changes. */
function saidWord(builder: DecisionBuilder, followUp: FollowUp, word: ThreadWord): void {
  builder.excludeFollowUp(followUp, word === 'aside' ? 'aside' : 'excluded');
  if (word !== 'aside') mute(builder, word === 'mute', followUp.userId);
}

function mute(builder: DecisionBuilder, muted: boolean, userId: string): void {
  builder.change({ muted });
  builder.announce({ kind: muted ? 'muted' : 'unmuted', userId });
  builder.refreshCard();
}

/**
 * Whether the reply is probably not meant for the agent: then it stays between people, and its author may
 * still send it. An attachment says that it is meant.
 */
function isKept(builder: DecisionBuilder, followUp: FollowUp, { mentionsBot, attachments }: Reply): boolean {
  const { text, messageTs, userId } = followUp;
  // A direct message can only be meant for the bot.
  const intent = intentOf(text, mentionsBot || builder.job.channelId.startsWith('D'));
  if (intent.kind === 'colleague') {
    builder.excludeFollowUp(followUp, 'aside');
    return true;
  }
  const isAlone = attachments.snippets.length + attachments.others.length === 0;
  const kind = isAlone ? KEPT[intent.kind === 'command' ? intent.command.kind : intent.kind] : undefined;
  if (kind === undefined) return false;
  builder.saveFollowUp({ ...followUp, state: 'aside', callId: null });
  builder.schedule('refresh_receipts');
  if (kind !== 'kept_thanks' || isFirstThanks(builder, userId)) {
    builder.postEphemeral(userId, { kind, messageTs, ...(kind === 'cannot_stop' && { said: text }) });
  }
  return true;
}

/** By intent, or by the command; of these, only some have an answer in a thread. */
const KEPT: Readonly<Record<string, KeptReply | KeptCommand>> = {
  small_talk: 'kept_thanks',
  stop: 'cannot_stop',
  progress: 'still_working',
  details: 'kept_status',
  help: 'kept_help',
  list: 'kept_list',
  status: 'kept_status',
};

/** Only the person's first in the thread is answered. */
function isFirstThanks(builder: DecisionBuilder, userId: string): boolean {
  const { thankedBy = [] } = builder.job;
  if (thankedBy.includes(userId)) return false;
  builder.change({ thankedBy: [...thankedBy, userId] });
  return true;
}

function withheldBy({ job, context }: DecisionBuilder, { mentionsBot }: Reply): 'mode' | 'mute' | null {
  if (mentionsBot) return null;
  if (context.policy.followUpMode === 'mentions') return 'mode';
  return job.muted ? 'mute' : null;
}

/** Applies what people did to replies that were being sent, and returns those still meant for the agent. */
export function stillMeant(builder: DecisionBuilder, followUps: readonly FollowUp[]): FollowUp[] {
  return followUps.filter((followUp) => {
    const word = followUp.corrected === null ? null : threadWordOf(followUp.corrected);
    if (followUp.isDeleted) builder.updateFollowUps([followUp], { state: 'withdrawn' });
    else if (word !== null) saidWord(builder, followUp, word);
    else return true;
    return false;
  });
}

/** What may go out again does so as edited meanwhile. */
export function asItReads(followUp: FollowUp): FollowUp {
  return { ...followUp, text: followUp.corrected ?? followUp.text, corrected: null };
}

export function offerCorrection(builder: DecisionBuilder, followUp: FollowUp): void {
  const { text, corrected, messageTs, userId } = followUp;
  if (corrected === null || !isWorthSending(text, corrected)) {
    builder.saveFollowUp({ ...followUp, corrected: null });
    return;
  }
  builder.saveFollowUp({ ...followUp, isCorrectionOffered: true });
  if (followUp.isCorrectionOffered) return;
  builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
}

/**
 * *Send the correction*: the reply goes out once more in its current wording, however often it was edited.
 */
function sendCorrection(builder: DecisionBuilder, messageTs: string): void {
  const found = builder.followUpAt(messageTs);
  if (found?.state !== 'sent' || found.corrected === null) return;
  const { isCorrectionOffered: _, ...followUp } = found;
  const again: FollowUp = {
    ...followUp,
    text: found.corrected,
    corrected: null,
    isCorrection: true,
    state: 'waiting',
    callId: null,
    receivedAtMs: builder.context.nowMs,
  };
  putOrRefuse(builder, again);
}

function isWorthSending(sent: string, now: string): boolean {
  return now.trim() !== sent.trim() && !isBlank(now) && threadWordOf(now) === null;
}

/** The message that asks was deleted: nothing starts, or its author learns that it has. */
function requestDeleted(
  builder: DecisionBuilder,
  { messageTs, userId }: Pick<Reply, 'messageTs' | 'userId'>,
): void {
  const { job } = builder;
  if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
  if (!isRequestHere(builder)) {
    sayItWasSent(builder, { messageTs, userId });
    return;
  }
  dropJob(builder, 'withdrawn', userId);
}

/** *Send the correction* of the request: it is a reply from then on. */
function correctRequest(builder: DecisionBuilder, messageTs: string): void {
  const { requestTs, requesterId, correction = '', requestEditedTs = null } = builder.job;
  if (requestTs !== messageTs || requesterId === null || correction === '') return;
  const { correction: _, ...job } = builder.job;
  builder.job = job;
  const reply = { messageTs, userId: requesterId, text: correction, editedTs: requestEditedTs };
  putOrRefuse(builder, { ...newFollowUp(builder, reply), isCorrection: true });
}

/** Nothing of it has gone out. */
function isRequestHere({ job, pendingCreateId }: DecisionBuilder): boolean {
  switch (job.stage.kind) {
    case 'awaiting_confirmation':
    case 'opening':
    case 'card_failed':
      return true;
    case 'creating':
      return job.creates === 0 || pendingCreateId !== null;
    default:
      return false;
  }
}
