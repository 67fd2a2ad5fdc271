import type { Decision, DecisionContext, JobState } from '../decision.ts';
import type { EventOf, JobEvent } from '../event.ts';
import { stepOf, stepResultOf } from '../steps.ts';
import { noticeRefused } from './announce.ts';
import { DecisionBuilder } from './decision-builder.ts';
import { offersShown, settleOffers } from './offers.ts';
import { pullRequestSeen, remindAgain } from './pull-requests.ts';
import { messageAccepted, messageFailed, resend, sendDue, sendNow } from './replies/follow-ups.ts';
import { followUpShown } from './replies/line-up.ts';
import {
  correctRequest,
  muteUpdates,
  replyDeleted,
  replyEdited,
  replyReceived,
  requestDeleted,
  requestRewritten,
  sendAnyway,
  sendCorrection,
} from './replies/replies.ts';
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

const DECIDERS: { readonly [T in JobEvent['type']]: (builder: DecisionBuilder, event: EventOf<T>) => void } =
  {
    card_posted: cardPosted,
    card_refused: cardRefused,
    card_delayed: cardDelayed,
    post_refused: (builder, event) => {
      if (event.announcement.kind === 'draft') draftRefused(builder, event.announcement.number, event);
      else postRefused(builder, event);
    },
    post_delayed: postDelayed,
    job_created: jobCreated,
    job_found: jobFound,
    create_failed: createFailed,
    reply_received: replyReceived,
    reply_edited: replyEdited,
    reply_deleted: replyDeleted,
    request_rewritten: requestRewritten,
    request_deleted: requestDeleted,
    message_completed: messageCompleted,
    old_replies_found: (builder, { count }) => builder.announce({ kind: 'caught_up', count }),
    recipe_paused: recipePaused,
    recipe_skipped: recipeSkipped,
    // This concerns only the recipe, whose row says whether it is paused.
    pause_refused: () => {},
    send_due: sendDue,
    message_accepted: messageAccepted,
    message_failed: messageFailed,
    job_checked: jobChecked,
    check_failed: checkFailed,
    start_again_pressed: startAgain,
    request_edited: editAndStart,
    agent_job_named: watchNamed,
    start_dismissed: dismissStart,
    start_another_pressed: startAnother,
    resend_pressed: resend,
    try_again_pressed: tryAgain,
    keep_watching_pressed: keepWatching,
    stop_watching_pressed: stopWatching,
    resume_watching_pressed: resumeWatching,
    send_now_pressed: sendNow,
    correction_pressed: (builder, { messageTs }) => {
      correctRequest(builder, messageTs);
      sendCorrection(builder, messageTs);
    },
    mute_pressed: muteUpdates,
    send_anyway_pressed: sendAnyway,
    draft_posted: draftPosted,
    draft_unseen: draftUnseen,
    draft_started: startDraft,
    draft_dismissed: dismissDraft,
    draft_expired: expireDraft,
    marks_seen: marksSeen,
    marked_once_more: markedOnceMore,
    follow_up_written: (builder, { userId, text }) => builder.announce({ kind: 'follow_up', userId, text }),
    follow_up_shown: followUpShown,
    snippets_read: snippetsRead,
    pull_request_seen: pullRequestSeen,
    remind_again_pressed: remindAgain,
    // There is none without a further request: this only settles the offer.
    no_more_reminders_pressed: () => {},
    need_dismissed: (builder, { need }) => builder.change({ dismissedNeed: need }),
    offers_shown: offersShown,
    notice_refused: noticeRefused,
  };

/**
 * What follows from an event: the job afterwards, and the calls and tasks that it needs. Pure: no clock, no
 * I/O. An event that arrives late or twice changes nothing.
 */
export function decide(state: JobState, event: JobEvent, context: DecisionContext): Decision {
  const builder = new DecisionBuilder(state, context);
  const decider = DECIDERS[event.type] as (builder: DecisionBuilder, event: JobEvent) => void;
  decider(builder, event);
  settleOffers(builder, event);
  completeStep(builder, event);
  if (countNews(builder, event, state.job)) return builder.decision();
  const instead = new DecisionBuilder(state, context);
  pauseLooks(instead);
  return instead.decision();
}

/** Announced once in the channel: its administrators decide when the recipe continues. */
function recipePaused(builder: DecisionBuilder): void {
  const { id, recipe } = builder.job;
  if (recipe === undefined) return;
  const key = `paused:${id}:${builder.context.nowMs}`;
  builder.addCall(key, builder.lane('slack', 'recipe'), { kind: 'tell_paused', recipe });
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
  builder.addCall(`complete:${executionId}`, builder.lane('workflow', 'step'), {
    kind: 'complete_step',
    executionId,
    result,
  });
}
