import type { Dropped } from '../draft.ts';
import type { JobEvent } from '../event.ts';
import { type Job, mayStartAgain } from '../job.ts';
import type { Offer, OfferOutcome, OfferSubject } from '../offer.ts';
import { isOver, seenPullRequest } from '../pull-requests/pull-request.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Withdraws offers that the event has decided or made pointless: their messages are edited. */
export function settleOffers(builder: DecisionBuilder, event: JobEvent): void {
  const offers = builder.job.offers ?? [];
  const after = offers.map((offer, index): Offer => {
    if (offer.outcome !== null) return offer;
    const isRepeated = offers.slice(index + 1).some(({ about }) => isCovered(offer.about, about));
    const isAnswered = isAllSentAgain(event, offer.about) || isReminderAnswered(event, offer.about);
    const isLeft = isOpen(builder, offer.about) && !isRepeated && !isAnswered;
    return isLeft ? offer : { ...offer, outcome: outcomeOf(event, offer.about, builder.job) };
  });
  if (after.every((offer, index) => offer === offers[index])) return;
  builder.change({ offers: after });
  builder.schedule('refresh_posts', builder.context.nowMs);
}

/** The messages of these posts show the outcomes of their offers. */
export function offersShown(builder: DecisionBuilder, postIds: readonly string[]): void {
  const offers = builder.job.offers ?? [];
  builder.change({
    offers: offers.map((offer) => (postIds.includes(offer.postId) ? { ...offer, isShown: true } : offer)),
  });
}

/** The decision on the subject of a button; null: unknown, or none. */
export function outcomeOfMatter({ offers = [] }: Job, press: JobEvent): OfferOutcome | null {
  return offers.findLast(({ about }) => isAbout(press, about))?.outcome ?? null;
}

function isAbout(press: JobEvent, about: OfferSubject): boolean {
  switch (press.type) {
    case 'start_again_pressed':
      return (
        about.kind === 'start' &&
        (press.creates === about.creates || (about.callId !== undefined && press.callId === about.callId))
      );
    case 'request_edited':
      return about.kind === 'start' && press.creates === about.creates;
    case 'agent_job_named':
    case 'start_dismissed':
      return about.kind === 'start' && press.callId === about.callId;
    case 'resend_pressed':
      return isOfReplies(about) && about.callId === press.callId;
    case 'keep_watching_pressed':
    case 'stop_watching_pressed':
      return about.kind === 'watch' && about.question === press.question;
    case 'remind_again_pressed':
    case 'no_more_reminders_pressed':
      return isReminderAnswered(press, about);
    case 'draft_started':
    case 'draft_dismissed':
      return about.kind === 'draft' && about.number === press.draft;
    default:
      return false;
  }
}

/** About the same replies: the newer message stands for both. */
function isCovered(one: OfferSubject, younger: OfferSubject): boolean {
  if (!isOfReplies(one) || !isOfReplies(younger)) return false;
  return one.callId !== undefined && one.callId === younger.callId;
}

/** Only these may concern the replies of a call. */
function isOfReplies(about: OfferSubject): about is Extract<OfferSubject, { kind: 'start' | 'send' }> {
  return about.kind === 'start' || about.kind === 'send';
}

/** A second refusal has a message of its own. */
function isAllSentAgain(event: JobEvent, about: OfferSubject): boolean {
  return (
    event.type === 'resend_pressed' && event.callId === null && about.kind === 'send' && about.callId === null
  );
}

function isReminderAnswered(event: JobEvent, about: OfferSubject): boolean {
  const isAnswer = event.type === 'remind_again_pressed' || event.type === 'no_more_reminders_pressed';
  return isAnswer && about.kind === 'reminder' && event.reminderId === about.reminderId;
}

function isOpen(builder: DecisionBuilder, about: OfferSubject): boolean {
  const { job } = builder;
  const { stage } = job;
  switch (about.kind) {
    case 'start': {
      const { creates, callId } = about;
      if (callId !== undefined && hasUndelivered(builder, callId)) return true;
      if (stage.kind === 'create_unknown') return stage.callId === callId;
      return creates === job.creates && mayStartAgain(job);
    }
    case 'send':
      return about.callId === null ? builder.undelivered().length > 0 : hasUndelivered(builder, about.callId);
    case 'draft':
      return stage.kind === 'draft' && stage.number === about.number;
    case 'watch': {
      const question = stage.kind === 'working' ? stage.question : undefined;
      return question?.number === about.question && question.answer === null;
    }
    case 'reminder': {
      const pullRequest = seenPullRequest(job, about.url);
      return pullRequest !== null && !isOver(pullRequest.facts);
    }
  }
}

function hasUndelivered(builder: DecisionBuilder, callId: string): boolean {
  return builder.followUpsOfCall(callId).some(({ state }) => state === 'not_sent' || state === 'unknown');
}

/** What the agent's acceptance of a reply means for each subject. */
const deedOfAcceptance = {
  start: 'continued',
  send: 'confirmed',
  watch: 'moot',
  draft: 'moot',
  reminder: 'moot',
} as const;

/** The fate of a draft that did not start. */
const deedOfDropping = {
  dismissed: 'dismissed',
  withdrawn: 'withdrawn',
  expired: 'expired',
  not_posted: 'moot',
} as const satisfies Readonly<Record<Dropped['why'], OfferOutcome['deed']>>;

function outcomeOf(event: JobEvent, about: OfferSubject, { stage }: Job): OfferOutcome {
  if (about.kind === 'draft' && stage.kind === 'dropped') {
    return { deed: deedOfDropping[stage.why], by: stage.byUserId };
  }
  switch (event.type) {
    case 'start_again_pressed':
      return { deed: 'started_again', by: event.userId ?? null };
    case 'resend_pressed':
      return {
        deed: 'sent_again',
        by: event.userId ?? null,
        ...('count' in about && { count: about.count }),
      };
    case 'request_edited':
      return { deed: 'edited', by: event.userId ?? null };
    case 'draft_started':
      return { deed: 'started', by: event.userId };
    case 'agent_job_named':
      return { deed: 'found', by: event.userId ?? null };
    case 'start_dismissed': {
      const { userId: by = null, other } = event;
      return other === undefined ? { deed: 'dismissed', by } : { deed: 'watched_elsewhere', by, other };
    }
    case 'keep_watching_pressed':
      return { deed: 'kept_watching', by: event.userId ?? null };
    case 'stop_watching_pressed':
      return { deed: 'stopped_watching', by: event.userId ?? null };
    case 'remind_again_pressed':
      return { deed: 'wants_reminder', by: event.userId ?? null };
    case 'no_more_reminders_pressed':
      return { deed: 'wants_no_reminder', by: event.userId ?? null };
    case 'job_found':
      return { deed: 'confirmed', by: null };
    case 'message_accepted':
      return { deed: deedOfAcceptance[about.kind], by: null };
    default:
      return { deed: 'moot', by: null };
  }
}
