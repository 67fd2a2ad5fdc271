import type { Reply } from '../event.ts';
import type { FollowUp } from '../follow-up.ts';
import { isBeforeJob } from '../job.ts';
import type { Draft } from './draft.ts';
import { refusalOf, scheduleSending } from './follow-ups.ts';
import { forgetSendTrouble } from './trouble.ts';

/** Bounds what one thread can pile up while the API is away. */
const MAX_UNSENT_FOLLOW_UPS = 200;

/** A person wrote in the thread. */
export function replyReceived(draft: Draft, reply: Reply): void {
  if (find(draft, reply.messageTs) !== null || isBeforeJob(draft.job, reply.messageTs)) return;
  const id = draft.context.newId();
  const followUp: FollowUp = {
    ...reply,
    id,
    jobId: draft.job.id,
    receivedAtMs: draft.context.nowMs,
    state: 'waiting',
    callId: null,
  };
  putOrRefuse(draft, followUp, refusalOf(draft, reply.text) ?? pileRefusal(draft));
}

/** A reply that is not sent yet goes out as it reads now; of one that is on its way, what was sent stays. */
export function replyEdited(draft: Draft, { messageTs, text, editedTs }: Reply): void {
  const followUp = find(draft, messageTs);
  if (followUp === null || isSeen(followUp, editedTs)) return;
  const edited = { ...followUp, text, editedTs };
  putOrRefuse(draft, edited, followUp.state === 'waiting' ? refusalOf(draft, text) : null);
}

/** Withdraws a reply, unless it is sent or on its way. */
export function replyDeleted(draft: Draft, messageTs: string): void {
  const followUp = find(draft, messageTs);
  if (followUp === null || followUp.state === 'sending' || followUp.state === 'sent') return;
  draft.put([{ ...followUp, state: 'withdrawn' }]);
  forgetSendTrouble(draft);
}

/** `followUp` waits, or has been tried before; a refusal is told, and can be retried. */
function putOrRefuse(draft: Draft, followUp: FollowUp, refusal: string | null): void {
  if (refusal === null) {
    draft.put([followUp]);
    scheduleSending(draft);
    return;
  }
  // Nothing was called; the id only tells the *Retry* button which reply is meant.
  const callId = followUp.id;
  draft.put([{ ...followUp, state: 'not_sent', callId }]);
  draft.announce({ kind: 'message_rejected', callId, count: 1, message: refusal });
}

function find(draft: Draft, messageTs: string): FollowUp | null {
  return draft.allFollowUps().find((followUp) => followUp.messageTs === messageTs) ?? null;
}

/** Slack's timestamps have a fixed width, so their text order is their time order. */
function isSeen(followUp: FollowUp, editedTs: string | null): boolean {
  return editedTs === null || (followUp.editedTs !== null && followUp.editedTs >= editedTs);
}

function pileRefusal(draft: Draft): string | null {
  const unsent = draft.followUpsIn('waiting').length + draft.followUpsIn('sending').length;
  return unsent < MAX_UNSENT_FOLLOW_UPS ? null : `${unsent} replies were not sent yet`;
}
