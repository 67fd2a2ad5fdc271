import { keptIntents } from '../call.ts';
import type { Reply } from '../event.ts';
import {
  excludedFollowUp,
  type FollowUp,
  type FollowUpState,
  promptOf,
  unsentStates,
} from '../follow-ups/follow-up.ts';
import { agentCan, isBeforeJob, type Job, paragraphs, startPromptOf } from '../job.ts';
import { type NotSent, type ReadSnippet, seeFiles, type UnsentFile } from '../requests/attachments.ts';
import { isBlank, judgePrompt, threadWordOf, unescaped } from '../requests/command.ts';
import { intentOf } from '../requests/intent.ts';
import type { Deciders, DecisionBuilder } from './decision-builder.ts';
import { forgetSendTrouble } from './failures.ts';
import {
  announceNotSent,
  applyWord,
  enqueueNew,
  enqueueOrRefuse,
  isWorthSending,
  mute,
  newFollowUp,
  offerCorrection,
  scheduleSending,
} from './follow-ups.ts';
import { drop, requestCreate } from './open.ts';

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
    if (isPending(builder, followUp)) {
      builder.updateFollowUps([followUp], { state: 'withdrawn', callId: null });
    } else if (followUp.state === 'sent' || followUp.state === 'sending') {
      builder.saveFollowUp({ ...followUp, corrected: null, isDeleted: true });
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
      drop(builder, 'withdrawn', userId);
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
    if (job.requestTs === messageTs && isRequestPending(builder)) drop(builder, 'withdrawn', userId);
  },

  mute_pressed(builder, { userId }) {
    if (!builder.job.muted && builder.job.threadTs !== null) mute(builder, true, userId);
  },

  correction_pressed(builder, { messageTs }) {
    correctRequest(builder, messageTs);
    const found = builder.followUpAt(messageTs);
    if (found?.state !== 'sent' || found.corrected === null) return;
    enqueueOrRefuse(builder, {
      ...found,
      text: found.corrected,
      corrected: null,
      pictures: undefined,
      isCorrection: true,
      isCorrectionOffered: undefined,
      receivedAtMs: builder.nowMs,
    });
  },

  send_anyway_pressed(builder, { messageTs }) {
    const followUp = builder.followUpAt(messageTs);
    if (followUp?.state !== 'aside' || isBlank(followUp.text)) return;
    enqueueNew(builder, { ...followUp, receivedAtMs: builder.nowMs });
  },

  message_completed(builder, { reply }) {
    const before = builder.followUpAt(reply.messageTs);
    if (before !== null) completeReply(builder, before, reply);
    else if (reply.messageTs === builder.job.requestTs) completeRequest(builder, reply);
  },

  snippets_read(builder, { messageTs, snippets }) {
    if (messageTs === null) {
      readForPrompt(builder, snippets);
      return;
    }
    const before = builder.followUpAt(messageTs);
    if (before === null || before.snippets.length === 0) return;
    const text = takeFitting(builder, snippets, (more) => promptOf({ ...before, inlined: more }));
    const followUp: FollowUp = { ...before, snippets: [], inlined: text };
    if (followUp.state !== 'waiting') builder.saveFollowUp(followUp);
    else if (isBlank(promptOf(followUp))) builder.updateFollowUps([excludedFollowUp(followUp, 'excluded')]);
    else enqueueOrRefuse(builder, followUp);
  },
} satisfies Partial<Deciders>;

function receive(builder: DecisionBuilder, reply: Reply) {
  if (isBeforeJob(builder.job, reply.messageTs)) return;
  const { snippets, others } = reply.attachments;
  const followUp = newFollowUp(builder, { ...reply, snippets, pictures: builder.picturesIn(others) });
  route(builder, followUp, reply);
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
      return editUnsent(builder, followUp, reply);
    case 'sending':
      if (isPending(builder, before)) return editUnsent(builder, followUp, reply);
      if (!before.isDeleted) builder.saveFollowUp({ ...followUp, corrected: text });
      return;
    case 'sent':
      return offerCorrection(builder, { ...followUp, corrected: text });
    case 'aside':
    case 'muted':
    case 'excluded': {
      const { snippets, others } = reply.attachments;
      const pictures = builder.picturesIn(others);
      const again = { ...followUp, text, snippets, pictures, receivedAtMs: builder.nowMs };
      return route(builder, again, reply, before.state);
    }
    case 'withdrawn':
      return;
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
  else if (!isKeptOut(builder, edited, reply)) {
    if (state === 'waiting') return enqueueOrRefuse(builder, edited);
    builder.updateFollowUps([edited]);
    return scheduleSending(builder);
  }
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
  const kind = isAlone ? keptIntents.find((one) => one === intent.kind) : undefined;
  if (kind === undefined || (kind === 'progress' && agentCan(job, 'summary'))) return false;
  builder.saveFollowUp({ ...followUp, state: 'aside', callId: null });
  builder.schedule('refresh_receipts');
  const { thankedBy = [] } = job;
  if (kind === 'small_talk') {
    if (thankedBy.includes(userId)) return true;
    builder.change({ thankedBy: [...thankedBy, userId] });
  }
  builder.postEphemeral(userId, { kind, messageTs, ...(kind === 'stop' && { said: text }) });
  return true;
}

function correctRequest(builder: DecisionBuilder, messageTs: string) {
  const { requestTs, requesterId, correction = '', requestEditedTs: editedTs = null } = builder.job;
  if (requestTs !== messageTs || requesterId === null || correction === '') return;
  builder.change({ correction: undefined });
  const reply = { messageTs, userId: requesterId, text: correction, editedTs, isCorrection: true };
  enqueueOrRefuse(builder, newFollowUp(builder, reply));
}

function completeRequest(builder: DecisionBuilder, reply: Reply) {
  const { job } = builder;
  const { text, snippets } = addedTo(job, job.requestEditedTs !== undefined, reply);
  const others = job.others.length > 0 ? [] : reply.attachments.others;
  if (['opening', 'awaiting_confirmation', 'card_failed'].includes(job.stage.kind)) {
    builder.change({
      ...(text !== '' && { prompt: reply.text }),
      ...(snippets.length > 0 && { snippets }),
      ...(others.length > 0 && { others }),
    });
    return;
  }
  if (others.length > 0) {
    builder.change({ others });
    nameOthers(builder, reply.messageTs, others);
  }
  const pictures = builder.picturesIn(others);
  if (text === '' && snippets.length === 0 && pictures === undefined) return;
  enqueueOrRefuse(builder, newFollowUp(builder, { ...reply, text, snippets, pictures }));
}

function completeReply(builder: DecisionBuilder, before: FollowUp, reply: Reply) {
  const isEdited = before.editedTs !== null || before.corrected !== null || before.isCorrection;
  const { text, snippets } = addedTo({ ...before, prompt: before.text }, isEdited, reply);
  const isForAgent = unsentStates.some((state) => state === before.state) || before.state === 'sent';
  if (isForAgent) nameOthers(builder, reply.messageTs, reply.attachments.others);
  const added = (before.pictures === undefined && builder.picturesIn(reply.attachments.others)) || [];
  if (text === '' && snippets.length + added.length === 0) return;
  const isSent = before.state === 'sent';
  const pictures = added.length > 0 ? added : isSent ? undefined : before.pictures;
  const whole = text === '' ? before.text : reply.text;
  const { nowMs: receivedAtMs } = builder;
  const isToSend = before.state === 'waiting' || (before.state === 'not_sent' && isBlank(promptOf(before)));
  if (isSent) enqueueOrRefuse(builder, { ...before, text, snippets, pictures, receivedAtMs });
  else if (isToSend) enqueueOrRefuse(builder, { ...before, text: whole, snippets, pictures, receivedAtMs });
  else if (before.state === 'not_sent') builder.saveFollowUp({ ...before, text: whole, pictures });
  else if (before.state === 'sending' || before.state === 'unknown') {
    if (text !== '') builder.saveFollowUp({ ...before, corrected: reply.text });
    announceNotSent(
      builder,
      [...snippets, ...added].map(({ name }) => ({ name, problem: 'unreadable' })),
    );
  }
}

/** An edit may have removed words. */
function addedTo(
  { prompt, snippets, inlined: read }: Pick<Job, 'prompt' | 'snippets' | 'inlined'>,
  isEdited: boolean,
  { text, attachments }: Reply,
) {
  const isLonger = !isEdited && text.startsWith(prompt);
  const isNew = snippets.length === 0 && read === '';
  return {
    text: isLonger ? text.slice(prompt.length).trim() : '',
    snippets: isNew ? attachments.snippets : [],
  };
}

function nameOthers(builder: DecisionBuilder, messageTs: string, others: readonly UnsentFile[]) {
  const notSent = builder.filesNotSent(others);
  if (notSent !== null) builder.announceOnce(`files:${builder.job.id}:${messageTs}`, notSent);
}

function readForPrompt(builder: DecisionBuilder, snippets: readonly ReadSnippet[]) {
  const { job } = builder;
  if (job.snippets.length === 0) return;
  // A draft's snippets may have been read earlier.
  const withMore = (more: string) => paragraphs(job.inlined, more);
  const fitting = takeFitting(builder, snippets, (more) =>
    startPromptOf({ ...job, inlined: withMore(more) }),
  );
  const whole = withMore(fitting);
  builder.change({ snippets: [], inlined: whole });
  if (job.stage.kind !== 'creating') return;
  const isOnlyFiles =
    job.prompt === seeFiles(job.snippets) &&
    job.pictures === undefined &&
    job.context === '' &&
    builder.followUpsIn('waiting').length === 0;
  if (whole === '' && isOnlyFiles) {
    builder.change({ stage: { kind: 'rejected', message: 'Nothing in it could be read.' } });
    builder.refreshCard();
  } else requestCreate(builder);
}

function takeFitting(
  builder: DecisionBuilder,
  snippets: readonly ReadSnippet[],
  promptWith: (text: string) => string,
) {
  const { promptMaxLength } = builder.policy;
  const texts: string[] = [];
  const notSent: NotSent[] = [];
  for (const snippet of snippets) {
    if (!('text' in snippet)) notSent.push(snippet);
    else {
      const text = `${snippet.name}:\n${snippet.text}`;
      const verdict = judgePrompt(unescaped(promptWith([...texts, text].join('\n\n'))), promptMaxLength);
      if (verdict.kind === 'too_long') notSent.push({ name: snippet.name, problem: 'too_long' });
      else texts.push(text);
    }
  }
  announceNotSent(builder, notSent);
  return texts.join('\n\n');
}
