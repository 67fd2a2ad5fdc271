import { type ThreadWord, threadWordOf } from '../command.ts';
import type { Reply } from '../event.ts';
import type { FollowUp } from '../follow-up.ts';
import { isBeforeJob } from '../job.ts';
import { isBlank } from '../prompt.ts';
import { offerCorrection } from './corrections.ts';
import type { Draft } from './draft.ts';
import { newFollowUp, pileRefusal, putOrRefuse, refusalOf } from './line-up.ts';
import { nameOthers } from './snippets.ts';
import { forgetSendTrouble } from './trouble.ts';

/** A person wrote in the thread. */
export function replyReceived(draft: Draft, reply: Reply): void {
  if (draft.followUpAt(reply.messageTs) !== null || isBeforeJob(draft.job, reply.messageTs)) return;
  const word = threadWordOf(reply.text);
  const withheld = word === null ? withheldBy(draft, reply) : null;
  if (withheld === 'mode') return;
  const followUp = newFollowUp(draft, reply);
  if (word !== null) saidWord(draft, followUp, word);
  else if (withheld === 'mute') draft.keepOut(followUp, 'muted');
  else {
    nameOthers(draft, reply.attached.others);
    putInLine(draft, followUp, reply);
  }
}

/** A reply for the agent, which was not in line before, with the texts that came along. */
function putInLine(draft: Draft, followUp: FollowUp, { text, attached }: Reply): void {
  const { snippets, others } = attached;
  if (snippets.length > 0) draft.schedule('read_snippets', draft.context.nowMs);
  const isOnlyFiles = isBlank(text) && snippets.length === 0 && others.length > 0;
  if (isOnlyFiles) draft.keepOut(followUp, 'kept_out');
  else putOrRefuse(draft, followUp, refusalOf(draft, followUp) ?? pileRefusal(draft));
}

/**
 * A reply that is not sent yet goes out as it reads now, and not at all if it became an aside; of one that is
 * sent or on its way, what was sent stays, and a correction is offered. An aside that is none any more goes out;
 * what was written while the thread was muted, or where only mentions are follow-ups, does so only as a mention.
 */
export function replyEdited(draft: Draft, reply: Reply): void {
  const { text, editedTs } = reply;
  const before = draft.followUpAt(reply.messageTs);
  if (before === null) {
    // Where only mentions are follow-ups, nothing is kept of other replies.
    if (reply.mentionsBot) replyReceived(draft, reply);
    return;
  }
  if (isSeen(before, editedTs)) return;
  const followUp = { ...before, editedTs };
  switch (before.state) {
    case 'waiting':
    case 'not_sent':
    case 'unknown':
      unsentEdited(draft, followUp, reply);
      break;
    case 'sending':
      if (!before.isDeleted) draft.note({ ...followUp, corrected: text });
      break;
    case 'sent':
      offerCorrection(draft, { ...followUp, corrected: text });
      break;
    case 'aside':
    case 'muted':
    case 'kept_out':
      keptOutEdited(draft, followUp, reply);
      break;
    case 'withdrawn':
      break;
  }
}

function unsentEdited(draft: Draft, followUp: FollowUp, reply: Reply): void {
  const { text } = reply;
  const word = threadWordOf(text);
  if (word !== null) {
    saidWord(draft, followUp, word);
    forgetSendTrouble(draft);
    draft.refreshCard();
    return;
  }
  if (followUp.state === 'unknown') {
    // The agent may have it as it was.
    draft.note({ ...followUp, corrected: text });
    return;
  }
  const edited = { ...followUp, text };
  putOrRefuse(draft, edited, followUp.state === 'waiting' ? refusalOf(draft, edited) : null);
}

function keptOutEdited(draft: Draft, followUp: FollowUp, reply: Reply): void {
  const { text, attached } = reply;
  const word = threadWordOf(text);
  const withheld = withheldBy(draft, reply);
  if (word !== null) saidWord(draft, followUp, word);
  else if (followUp.state === 'muted' && !reply.mentionsBot) draft.note(followUp);
  else if (withheld !== null) draft.keepOut(followUp, withheld === 'mute' ? 'muted' : 'kept_out');
  else {
    // What was nothing but files was named when it arrived.
    if (followUp.state !== 'kept_out') nameOthers(draft, attached.others);
    const { snippets } = attached;
    const { nowMs: receivedAtMs } = draft.context;
    putInLine(draft, { ...followUp, text, snippets, state: 'waiting', receivedAtMs }, reply);
  }
}

/** Withdraws a reply, unless it is sent; of one that is on its way it is remembered. */
export function replyDeleted(draft: Draft, messageTs: string): void {
  const followUp = draft.followUpAt(messageTs);
  if (followUp === null || followUp.state === 'withdrawn') return;
  if (followUp.state === 'sending' || followUp.state === 'sent') {
    draft.note({ ...followUp, corrected: null, isDeleted: true });
    return;
  }
  draft.put([{ ...followUp, state: 'withdrawn' }]);
  forgetSendTrouble(draft);
}

/** The reply is remembered, since it may be edited into a request. Muting is told also if nothing changes. */
function saidWord(draft: Draft, followUp: FollowUp, word: ThreadWord): void {
  draft.keepOut(followUp, word === 'aside' ? 'aside' : 'kept_out');
  if (word === 'aside') return;
  draft.change({ muted: word === 'mute' });
  draft.announce({ kind: word === 'mute' ? 'muted' : 'unmuted', userId: followUp.userId });
  draft.refreshCard();
}

/** What keeps a reply from the agent, or null. Where only mentions are follow-ups, muting makes no difference. */
function withheldBy({ job, context }: Draft, { mentionsBot }: Reply): 'mode' | 'mute' | null {
  if (mentionsBot) return null;
  if (context.policy.followUpMode === 'mentions') return 'mode';
  return job.muted ? 'mute' : null;
}

/** Slack's timestamps have a fixed width, so their text order is their time order. */
function isSeen(followUp: FollowUp, editedTs: string | null): boolean {
  return editedTs === null || (followUp.editedTs !== null && followUp.editedTs >= editedTs);
}

/**
 * What people did to replies while these were on their way counts once it is clear that the agent did not say that it
 * has them. Returns those that are still meant for the agent.
 */
export function stillMeant(draft: Draft, followUps: readonly FollowUp[]): FollowUp[] {
  return followUps.filter((followUp) => {
    const word = followUp.corrected === null ? null : threadWordOf(followUp.corrected);
    if (followUp.isDeleted) draft.put([{ ...followUp, state: 'withdrawn' }]);
    else if (word !== null) saidWord(draft, followUp, word);
    else return true;
    return false;
  });
}

/** What may go out again goes out as it was edited meanwhile. */
export function asItReads(followUp: FollowUp): FollowUp {
  return { ...followUp, text: followUp.corrected ?? followUp.text, corrected: null };
}
