import type { Decision, DecisionContext, JobState } from '../decision.ts';
import type { JobEvent } from '../event.ts';
import { stepOf, stepResultOf } from '../steps.ts';
import { asKnown, noticeRefused } from './announce.ts';
import { DecisionBuilder } from './decision-builder.ts';
import { offersShown, settleOffers } from './offers.ts';
import { pullRequestSeen, remindAgain } from './pull-requests.ts';
import { messageAccepted, messageFailed, resend, sendDue, sendNow } from './replies/follow-ups.ts';
import { followUpShown } from './replies/line-up.ts';
import {
  muteUpdates,
  replyDeleted,
  replyEdited,
  replyReceived,
  sendAnyway,
  sendCorrection,
} from './replies/replies.ts';
import { correctRequest, requestDeleted, requestRewritten } from './replies/request-changes.ts';
import { messageCompleted, snippetsRead } from './replies/snippets.ts';
import {
  createFailed,
  dismissStart,
  editAndStart,
  jobCreated,
  jobFound,
  startAgain,
  watchNamed,
} from './start/create.ts';
import {
  dismissDraft,
  draftPosted,
  draftRefused,
  draftUnseen,
  expireDraft,
  markedOnceMore,
  marksSeen,
  startDraft,
} from './start/drafts.ts';
import {
  cardDelayed,
  cardPosted,
  cardRefused,
  postDelayed,
  postRefused,
  startAnother,
  tryAgain,
} from './start/open.ts';
import { countNews, keepWatching, pauseLooks, resumeWatching, stopWatching } from './watch/long-running.ts';
import { checkFailed, jobChecked } from './watch/observe.ts';

/**
 * What follows from an event: the job afterwards, and the calls and tasks that it needs. Pure: no clock, no
 * I/O. An event that arrives late or twice changes nothing.
 */
export function decide(state: JobState, event: JobEvent, context: DecisionContext): Decision {
  const builder = new DecisionBuilder(state, context);
  apply(builder, event);
  settleOffers(builder, event);
  completeStep(builder, event);
  if (countNews(builder, event, state.job)) return builder.decision();
  const instead = new DecisionBuilder(state, context);
  pauseLooks(instead);
  return instead.decision();
}

function apply(builder: DecisionBuilder, event: JobEvent) {
  switch (event.type) {
    case 'card_posted':
      return cardPosted(builder, event.ts);
    case 'card_refused':
      return cardRefused(builder, event.reason);
    case 'card_delayed':
      return cardDelayed(builder, event);
    case 'post_refused':
      return event.announcement.kind === 'draft'
        ? draftRefused(builder, event.callId, event.announcement.number, event.reason)
        : postRefused(builder, event.callId, event.announcement, event.reason);
    case 'post_delayed':
      return postDelayed(builder, event.callId, event.announcement, event.reason);
    case 'job_created':
      return jobCreated(builder, event.callId, asKnown(builder, event.agentJob));
    case 'job_found':
      return jobFound(builder, event.callId, asKnown(builder, event.agentJob));
    case 'create_failed':
      return createFailed(builder, event.callId, event.failure);
    case 'reply_received':
      return replyReceived(builder, event.reply);
    case 'reply_edited':
      return replyEdited(builder, event.reply);
    case 'reply_deleted':
      return replyDeleted(builder, event);
    case 'request_rewritten':
      return requestRewritten(builder, event);
    case 'request_deleted':
      return requestDeleted(builder, event);
    case 'message_completed':
      return messageCompleted(builder, event.reply);
    case 'old_replies_found':
      return builder.announce({ kind: 'caught_up', count: event.count });
    case 'recipe_paused':
      return recipePaused(builder);
    case 'pause_refused':
      // This concerns only the recipe, whose row says whether it is paused.
      return;
    case 'recipe_skipped':
      return recipeSkipped(builder);
    case 'send_due':
      return sendDue(builder, event.isCalled === true);
    case 'message_accepted':
      return messageAccepted(builder, event.callId, event.agentJobId, asKnown(builder, event.agentJob));
    case 'message_failed':
      return messageFailed(builder, event.callId, event.failure, event.othersAnsweredAtMs ?? null);
    case 'job_checked':
      return jobChecked(builder, asKnown(builder, event.agentJob));
    case 'check_failed':
      return checkFailed(builder, event.agentJobId, event.failure, event.othersAnsweredAtMs ?? null);
    case 'start_again_pressed':
      return startAgain(builder, event);
    case 'request_edited':
      return editAndStart(builder, event.creates, event.prompt);
    case 'agent_job_named':
      return watchNamed(builder, event.callId, event.agentJobId);
    case 'start_dismissed':
      return dismissStart(builder, event.callId, event.userId ?? null);
    case 'start_another_pressed':
      return startAnother(builder, event);
    case 'resend_pressed':
      return resend(builder, event.callId);
    case 'try_again_pressed':
      return tryAgain(builder, event.cards, event);
    case 'keep_watching_pressed':
      return keepWatching(builder, event.question);
    case 'stop_watching_pressed':
      return stopWatching(builder, event.question);
    case 'resume_watching_pressed':
      return resumeWatching(builder, event.question);
    case 'send_now_pressed':
      return sendNow(builder, event.message);
    case 'correction_pressed':
      correctRequest(builder, event.messageTs);
      return sendCorrection(builder, event.messageTs);
    case 'mute_pressed':
      return muteUpdates(builder, event.userId);
    case 'send_anyway_pressed':
      return sendAnyway(builder, event.messageTs);
    case 'draft_posted':
      return draftPosted(builder, event.draft, event.ts);
    case 'draft_unseen':
      return draftUnseen(builder, event.draft);
    case 'draft_started':
      return startDraft(builder, event);
    case 'draft_dismissed':
      return dismissDraft(builder, event.draft, event.userId);
    case 'draft_expired':
      return expireDraft(builder);
    case 'marks_seen':
      return marksSeen(builder, event.userIds);
    case 'marked_once_more':
      return markedOnceMore(builder, event);
    case 'follow_up_written':
      return builder.announce({ kind: 'follow_up', userId: event.userId, text: event.text });
    case 'follow_up_shown':
      return followUpShown(builder, event);
    case 'snippets_read':
      return snippetsRead(builder, event.messageTs, event.snippets);
    case 'pull_request_seen':
      return pullRequestSeen(builder, event);
    case 'remind_again_pressed':
      return remindAgain(builder, event.reminderId);
    case 'no_more_reminders_pressed':
      // There is none without a further request: this only settles the offer.
      return;
    case 'need_dismissed':
      return builder.change({ dismissedNeed: event.need });
    case 'offers_shown':
      return offersShown(builder, event.postIds);
    case 'notice_refused':
      return noticeRefused(builder, event.channelId, event.reason);
  }
}

/** Announced once in the channel: its administrators decide when the recipe continues. */
function recipePaused(builder: DecisionBuilder): void {
  const { id, recipe } = builder.job;
  if (recipe === undefined) return;
  const lane = { to: 'slack', name: `recipe:${id}` } as const;
  builder.addCall(`paused:${id}:${builder.context.nowMs}`, lane, { kind: 'tell_paused', recipe });
}

/** Announced once for each job, however often it keeps its recipe from starting. */
function recipeSkipped(builder: DecisionBuilder): void {
  const { id, recipe } = builder.job;
  if (recipe !== undefined) builder.announceOnce(`skipped:${id}`, { kind: 'recipe_skipped', recipe });
}

/** Completes the requesting workflow's step, once, as soon as it has a result. */
function completeStep(builder: DecisionBuilder, event: JobEvent): void {
  const { job } = builder;
  const step = stepOf(job);
  if (step === null || job.isStepCompleted === true) return;
  const result = stepResultOf(job, event.type === 'post_refused' ? event.reason : null);
  if (result === null) return;
  const { executionId } = step;
  builder.change({ isStepCompleted: true });
  builder.addCall(
    `complete:${executionId}`,
    { to: 'workflow', name: `step:${job.id}` },
    { kind: 'complete_step', executionId, result },
  );
}
