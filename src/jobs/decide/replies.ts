import type { Reply } from '../event.ts';
import { type FollowUp, keptOut } from '../follow-up.ts';
import { isBeforeJob } from '../job.ts';
import { isBlank } from '../prompt.ts';
import { threadWordOf } from '../thread-word.ts';
import { offerCorrection } from './corrections.ts';
import type { Draft } from './draft.ts';
import { newFollowUp, pileRefusal, putOrRefuse, refusalOf } from './line-up.ts';
import { nameOthers } from './snippets.ts';
import { forgetSendTrouble } from './trouble.ts';

/** A person wrote in the thread. */
export function replyReceived(draft: Draft, reply: Reply): void {
  if (draft.followUpAt(reply.messageTs) !== null || isBeforeJob(draft.job, reply.messageTs)) return;
  const word = threadWordOf(reply.text);
  if (word === null && !isTaken(draft, reply)) return;
  const followUp = newFollowUp(draft, reply);
  const { text, attached, userId } = reply;
  if (word !== null) {
    // Remembered, since it may be edited into a request.
    draft.note(keptOut(followUp));
    if (word !== 'aside') mute(draft, userId, word === 'mute');
    return;
  }
  nameOthers(draft, attached.others);
  if (attached.snippets.length > 0) draft.schedule('read_snippets', draft.context.nowMs);
  const isOnlyFiles = isBlank(text) && attached.snippets.length === 0 && attached.others.length > 0;
  if (isOnlyFiles) draft.note(keptOut(followUp));
  else putOrRefuse(draft, followUp, refusalOf(draft, followUp) ?? pileRefusal(draft));
}

/**
 * A reply that is not sent yet goes out as it reads now, and not at all if it became an aside; of one that is
 * sent or on its way, what was sent stays, and a correction is offered. An aside that is none any more goes out;
 * other replies that were not taken are left alone.
 */
export function replyEdited(draft: Draft, reply: Reply): void {
  const { text, editedTs } = reply;
  const before = draft.followUpAt(reply.messageTs);
  if (before === null || isSeen(before, editedTs)) return;
  const followUp = { ...before, editedTs };
  switch (before.state) {
    case 'waiting':
    case 'not_sent':
    case 'unknown':
    case 'kept_out':
      unsentEdited(draft, followUp, reply);
      break;
    case 'sending':
      draft.note({ ...followUp, corrected: text });
      break;
    case 'sent':
      offerCorrection(draft, { ...followUp, corrected: text });
      break;
    case 'withdrawn':
      break;
  }
}

function unsentEdited(draft: Draft, followUp: FollowUp, reply: Reply): void {
  const { text, userId } = reply;
  const word = threadWordOf(text);
  if (word !== null) {
    draft.put([keptOut(followUp)]);
    forgetSendTrouble(draft);
    if (word !== 'aside') mute(draft, userId, word === 'mute');
    return;
  }
  if (followUp.state !== 'kept_out') {
    const edited = { ...followUp, text };
    putOrRefuse(draft, edited, followUp.state === 'waiting' ? refusalOf(draft, edited) : null);
  } else if (isTaken(draft, reply)) {
    const again: FollowUp = { ...followUp, text, state: 'waiting', receivedAtMs: draft.context.nowMs };
    putOrRefuse(draft, again, refusalOf(draft, again) ?? pileRefusal(draft));
  } else draft.note(followUp);
}

/** Withdraws a reply, unless it is sent or on its way. */
export function replyDeleted(draft: Draft, messageTs: string): void {
  const followUp = draft.followUpAt(messageTs);
  if (followUp === null || followUp.state === 'withdrawn') return;
  if (followUp.state === 'sending' || followUp.state === 'sent') {
    draft.note({ ...followUp, corrected: null });
    return;
  }
  draft.put([{ ...followUp, state: 'withdrawn' }]);
  forgetSendTrouble(draft);
}

/** Told to whoever wrote it, also if nothing changes. */
function mute(draft: Draft, userId: string, muted: boolean): void {
  draft.change({ muted });
  draft.whisper(userId, { kind: muted ? 'muted' : 'unmuted' });
  draft.refreshCard();
}

function isTaken({ job, context }: Draft, reply: Reply): boolean {
  return reply.mentionsBot || (!job.muted && context.policy.followUpMode === 'every_reply');
}

/** Slack's timestamps have a fixed width, so their text order is their time order. */
function isSeen(followUp: FollowUp, editedTs: string | null): boolean {
  return editedTs === null || (followUp.editedTs !== null && followUp.editedTs >= editedTs);
}
