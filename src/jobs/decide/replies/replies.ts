import type { KeptCommand, KeptReply } from '../../call.ts';
import type { Reply } from '../../event.ts';
import { type FollowUp, type FollowUpState, promptOf } from '../../follow-ups/follow-up.ts';
import { agentCan, isBeforeJob } from '../../job.ts';
import { isBlank, type ThreadWord, threadWordOf } from '../../requests/command.ts';
import { intentOf } from '../../requests/intent.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { forgetSendTrouble } from '../failures.ts';
import { dropJob } from '../start/open.ts';
import { enqueueNew, enqueueOrRefuse, newFollowUp, refusalOf } from './enqueue.ts';
import { nameOthers } from './snippets.ts';

export const replyDeciders = {
  reply_received(builder, { reply }) {
    if (builder.followUpAt(reply.messageTs) === null) receive(builder, reply);
  },

  reply_edited(builder, { reply }) {
    const before = builder.followUpAt(reply.messageTs);
    if (before !== null) edit(builder, before, reply);
    else if (reply.mentionsBot) receive(builder, reply);
  },

  reply_deleted(builder, { messageTs, overtaken }) {
    const followUp = builder.followUpAt(messageTs);
    if (followUp === null && overtaken !== undefined) {
      // A late edit must not look like a new reply.
      const empty = newFollowUp(builder, { ...overtaken, text: '' });
      builder.saveFollowUp({ ...empty, state: 'withdrawn' });
    }
    if (followUp === null || followUp.state === 'withdrawn') return;
    const isSent = followUp.state === 'sent';
    if (isPending(builder, followUp)) {
      builder.updateFollowUps([followUp], { state: 'withdrawn', callId: null });
    } else if (isSent || followUp.state === 'sending') {
      builder.saveFollowUp({ ...followUp, corrected: null, isDeleted: true });
      if (isSent && !followUp.isDeleted) notifyOfDeletion(builder, followUp);
    } else {
      builder.updateFollowUps([followUp], { state: 'withdrawn' });
      forgetSendTrouble(builder);
    }
  },

  /** Replaces or withdraws ("stop") an unsent request; later, offers a correction. */
  request_rewritten(builder, { reply }) {
    const { job } = builder;
    const { messageTs, userId, text, editedTs } = reply;
    if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
    // A sent correction is a reply.
    const correction = builder.followUpAt(messageTs);
    if (correction !== null) {
      edit(builder, correction, reply);
      return;
    }
    if (editedTs === null || editedTs <= (job.requestEditedTs ?? '')) return;
    builder.change({ requestEditedTs: editedTs });
    const isHere = isRequestPending(builder);
    if (isHere && ['stop', 'small_talk'].includes(intentOf(text).kind)) {
      dropJob(builder, 'withdrawn', userId);
    } else if (isHere || job.stage.kind === 'rejected') {
      builder.change({ prompt: text });
      builder.refreshCard();
    } else {
      const isWorthwhile = isWorthSending(job.prompt, text);
      builder.change({ correction: isWorthwhile ? text : '' });
      if (isWorthwhile && job.correction === undefined)
        builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
    }
  },

  request_deleted(builder, { messageTs, userId }) {
    const { job } = builder;
    if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
    if (isRequestPending(builder)) dropJob(builder, 'withdrawn', userId);
    else notifyOfDeletion(builder, { messageTs, userId });
  },

  mute_pressed(builder, { userId }) {
    if (!builder.job.muted && builder.job.threadTs !== null) mute(builder, true, userId);
  },

  correction_pressed(builder, { messageTs }) {
    correctRequest(builder, messageTs);
    const found = builder.followUpAt(messageTs);
    if (found?.state !== 'sent' || found.corrected === null) return;
    const { isCorrectionOffered: _, corrected: text, ...followUp } = found;
    const { nowMs: receivedAtMs } = builder;
    const correction = { text, corrected: null, isCorrection: true, receivedAtMs };
    enqueueOrRefuse(builder, { ...followUp, ...correction, state: 'waiting', callId: null });
  },

  send_anyway_pressed(builder, { messageTs }) {
    const followUp = builder.followUpAt(messageTs);
    if (followUp?.state !== 'aside' || isBlank(followUp.text)) return;
    enqueueNew(builder, { ...followUp, state: 'waiting', receivedAtMs: builder.nowMs });
  },
} satisfies Partial<Deciders>;

function receive(builder: DecisionBuilder, reply: Reply) {
  if (isBeforeJob(builder.job, reply.messageTs)) return;
  route(builder, newFollowUp(builder, reply, reply.attachments), reply);
}

/** `before`: the state before an edit. */
function route(
  builder: DecisionBuilder,
  followUp: FollowUp,
  reply: Reply,
  before: FollowUpState | null = null,
) {
  const { text, mentionsBot, attachments } = reply;
  const { snippets, others } = attachments;
  const word = threadWordOf(text);
  const isMentionMissing = !mentionsBot && builder.policy.followUpMode === 'mentions';
  if (word !== null) applyWord(builder, followUp, word);
  else if (before === null && isMentionMissing) return;
  else if (!mentionsBot && (before === 'muted' || (builder.job.muted && !isMentionMissing)))
    builder.excludeFollowUp(followUp, 'muted');
  else if (isMentionMissing) builder.excludeFollowUp(followUp, 'excluded');
  else if (!isKeptOut(builder, followUp, reply)) {
    // Its files were named on arrival.
    if (before !== 'excluded') nameOthers(builder, reply.messageTs, others);
    if (snippets.length > 0) builder.schedule('read_snippets');
    const isOnlyFiles = isBlank(promptOf(followUp)) && snippets.length === 0 && others.length > 0;
    if (isOnlyFiles) builder.excludeFollowUp(followUp, 'excluded');
    else enqueueNew(builder, followUp);
  }
}

function edit(builder: DecisionBuilder, before: FollowUp, reply: Reply) {
  const { text, editedTs } = reply;
  if (editedTs === null || editedTs <= (before.editedTs ?? '')) return;
  const followUp = { ...before, editedTs };
  switch (before.state) {
    case 'waiting':
    case 'not_sent':
    case 'unknown':
      editUnsent(builder, followUp, reply);
      break;
    case 'sending':
      if (isPending(builder, before)) editUnsent(builder, followUp, reply);
      else if (!before.isDeleted) builder.saveFollowUp({ ...followUp, corrected: text });
      break;
    case 'sent':
      offerCorrection(builder, { ...followUp, corrected: text });
      break;
    case 'aside':
    case 'muted':
    case 'excluded': {
      const { nowMs: receivedAtMs } = builder;
      const { snippets, others } = reply.attachments;
      const now = { ...followUp, text, snippets, pictures: builder.picturesIn(others), receivedAtMs };
      route(builder, { ...now, state: 'waiting' }, reply, before.state);
      break;
    }
    case 'withdrawn':
      break;
  }
}

function editUnsent(builder: DecisionBuilder, followUp: FollowUp, reply: Reply) {
  const { state } = followUp;
  const { text } = reply;
  const edited = { ...followUp, text };
  const word = threadWordOf(text);
  if (word !== null) applyWord(builder, followUp, word);
  // The agent may have the earlier wording.
  else if (state === 'unknown') return builder.saveFollowUp({ ...followUp, corrected: text });
  else if (state === 'sending') return builder.saveFollowUp(edited);
  else if (!isKeptOut(builder, edited, reply))
    return enqueueOrRefuse(builder, edited, state === 'waiting' ? refusalOf(builder, edited) : null);
  forgetSendTrouble(builder);
  builder.refreshCard();
}

function isPending({ pendingCreateId }: DecisionBuilder, { callId }: FollowUp) {
  return pendingCreateId !== null && callId === pendingCreateId;
}

function isRequestPending({ job, pendingCreateId }: DecisionBuilder) {
  const { kind } = job.stage;
  if (kind === 'creating') return job.creates === 0 || pendingCreateId !== null;
  return kind === 'awaiting_confirmation' || kind === 'opening' || kind === 'card_failed';
}

export function notifyOfDeletion(
  builder: DecisionBuilder,
  { messageTs, userId }: Pick<FollowUp, 'messageTs' | 'userId'>,
): void {
  if (builder.job.stage.kind !== 'working') return;
  builder.postEphemeral(userId, { kind: 'deleted_after_sending', messageTs });
}

function applyWord(builder: DecisionBuilder, followUp: FollowUp, word: ThreadWord) {
  builder.excludeFollowUp(followUp, word === 'aside' ? 'aside' : 'excluded');
  if (word !== 'aside') mute(builder, word === 'mute', followUp.userId);
}

function mute(builder: DecisionBuilder, muted: boolean, userId: string) {
  builder.change({ muted });
  builder.announce({ kind: muted ? 'muted' : 'unmuted', userId });
  builder.refreshCard();
}

const KEPT_OUT: Readonly<Record<string, KeptReply | KeptCommand>> = {
  small_talk: 'kept_thanks',
  stop: 'cannot_stop',
  progress: 'still_working',
  details: 'kept_status',
  help: 'kept_help',
  list: 'kept_list',
  status: 'kept_status',
};

/** Attachments are always for the agent. */
function isKeptOut(builder: DecisionBuilder, followUp: FollowUp, { mentionsBot, attachments }: Reply) {
  const { job } = builder;
  const { text, messageTs, userId } = followUp;
  const intent = intentOf(text, mentionsBot || job.channelId.startsWith('D'));
  if (intent.kind === 'colleague') {
    builder.excludeFollowUp(followUp, 'aside');
    return true;
  }
  const isAlone = attachments.snippets.length + attachments.others.length === 0;
  const kind = isAlone ? KEPT_OUT[intent.kind] : undefined;
  if (kind === undefined || (kind === 'still_working' && agentCan(job, 'summary'))) return false;
  builder.saveFollowUp({ ...followUp, state: 'aside', callId: null });
  builder.schedule('refresh_receipts');
  const { thankedBy = [] } = job;
  if (kind === 'kept_thanks') {
    if (thankedBy.includes(userId)) return true;
    builder.change({ thankedBy: [...thankedBy, userId] });
  }
  builder.postEphemeral(userId, { kind, messageTs, ...(kind === 'cannot_stop' && { said: text }) });
  return true;
}

/** Applies words and deletions received meanwhile. Returns the rest. */
export function withChanges(builder: DecisionBuilder, followUps: readonly FollowUp[]): FollowUp[] {
  return followUps.filter((followUp) => {
    const word = followUp.corrected === null ? null : threadWordOf(followUp.corrected);
    if (followUp.isDeleted) builder.updateFollowUps([followUp], { state: 'withdrawn' });
    else if (word !== null) applyWord(builder, followUp, word);
    else return true;
    return false;
  });
}

export function withCorrection(followUp: FollowUp): FollowUp {
  return { ...followUp, text: followUp.corrected ?? followUp.text, corrected: null };
}

export function offerCorrection(builder: DecisionBuilder, followUp: FollowUp): void {
  const { text, corrected, messageTs, userId, isCorrectionOffered } = followUp;
  if (corrected === null || !isWorthSending(text, corrected)) {
    builder.saveFollowUp({ ...followUp, corrected: null });
    return;
  }
  builder.saveFollowUp({ ...followUp, isCorrectionOffered: true });
  if (!isCorrectionOffered) builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
}

function isWorthSending(sent: string, now: string) {
  return now.trim() !== sent.trim() && !isBlank(now) && threadWordOf(now) === null;
}

function correctRequest(builder: DecisionBuilder, messageTs: string) {
  const { requestTs, requesterId, correction = '', requestEditedTs: editedTs = null } = builder.job;
  if (requestTs !== messageTs || requesterId === null || correction === '') return;
  const { correction: _, ...job } = builder.job;
  builder.job = job;
  const reply = { messageTs, userId: requesterId, text: correction, editedTs };
  enqueueOrRefuse(builder, { ...newFollowUp(builder, reply), isCorrection: true });
}
