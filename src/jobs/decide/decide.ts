import type { Decision, DecisionContext, JobState } from '../decision.ts';
import type { JobEvent } from '../event.ts';
import { sendCorrection } from './corrections.ts';
import { createFailed, jobCreated, jobFound, runAgain, startAgain } from './create.ts';
import { Draft } from './draft.ts';
import { messageAccepted, messageFailed, resend, sendDue, sendNow } from './follow-ups.ts';
import { followUpShown } from './line-up.ts';
import { keepWatching, resumeWatching, stopWatching } from './long-running.ts';
import { checkFailed, jobChecked } from './observe.ts';
import { cardDelayed, cardPosted, cardRefused, postRefused, tryAgain } from './open.ts';
import { replyDeleted, replyEdited, replyReceived } from './replies.ts';
import { startAnother } from './request.ts';
import { snippetsRead } from './snippets.ts';
import { noticeRefused } from './tell.ts';

/**
 * What follows from an event: the job as it is then, and the calls and tasks that are wanted. Pure: no clock,
 * no I/O. An event that comes too late or twice changes nothing.
 */
export function decide(state: JobState, event: JobEvent, context: DecisionContext): Decision {
  const draft = new Draft(state, context);
  apply(draft, event);
  return draft.decision();
}

function apply(draft: Draft, event: JobEvent) {
  switch (event.type) {
    case 'card_posted':
      return cardPosted(draft, event.ts);
    case 'card_refused':
      return cardRefused(draft, event.reason);
    case 'card_delayed':
      return cardDelayed(draft, event.reason);
    case 'post_refused':
      return postRefused(draft, event.callId, event.announcement, event.reason);
    case 'job_created':
      return jobCreated(draft, event.agentJob);
    case 'job_found':
      return jobFound(draft, event.callId, event.agentJob);
    case 'create_failed':
      return createFailed(draft, event.callId, event.failure);
    case 'reply_received':
      return replyReceived(draft, event.reply);
    case 'reply_edited':
      return replyEdited(draft, event.reply);
    case 'reply_deleted':
      return replyDeleted(draft, event.messageTs);
    case 'old_replies_found':
      return draft.announce({ kind: 'caught_up', count: event.count });
    case 'send_due':
      return sendDue(draft);
    case 'message_accepted':
      return messageAccepted(draft, event.callId, event.agentJobId, event.agentJob);
    case 'message_failed':
      return messageFailed(draft, event.callId, event.failure, event.othersAnsweredAtMs ?? null);
    case 'job_checked':
      return jobChecked(draft, event.agentJob);
    case 'check_failed':
      return checkFailed(draft, event.agentJobId, event.failure, event.othersAnsweredAtMs ?? null);
    case 'run_again_pressed':
      return runAgain(draft, event.creates, event.callId);
    case 'start_again_pressed':
      return startAgain(draft, event.callId);
    case 'start_another_pressed':
      return startAnother(draft, event);
    case 'resend_pressed':
      return resend(draft, event.callId);
    case 'try_again_pressed':
      return tryAgain(draft, event.cards, event);
    case 'keep_watching_pressed':
      return keepWatching(draft, event.question);
    case 'stop_watching_pressed':
      return stopWatching(draft, event.question);
    case 'resume_watching_pressed':
      return resumeWatching(draft, event.question);
    case 'send_now_pressed':
      return sendNow(draft, event.message);
    case 'correction_pressed':
      return sendCorrection(draft, event.messageTs);
    case 'follow_up_written':
      return draft.announce({ kind: 'follow_up', userId: event.userId, text: event.text });
    case 'follow_up_shown':
      return followUpShown(draft, event);
    case 'snippets_read':
      return snippetsRead(draft, event.messageTs, event.snippets);
    case 'notice_refused':
      return noticeRefused(draft, event.channelId, event.reason);
  }
}
