import type { JobEvent } from '../event.ts';
import { type Job, mayStartAgain } from '../job.ts';
import type { Offer, OfferDeed, OfferOutcome, OfferSubject } from '../offer.ts';
import { isOver, seenPullRequest } from '../pull-requests/pull-request.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Withdraws offers that the event has decided or made pointless: their messages are edited. */
export function settleOffers(builder: DecisionBuilder, event: JobEvent): void {
  const offers = builder.job.offers ?? [];
  const after = offers.map((offer, index): Offer => {
    if (offer.outcome !== null) return offer;
    const { about } = offer;
    // Of two messages about the same replies, the newer one stands for both.
    const call = callOf(about);
    const isRepeated =
      call !== undefined && offers.slice(index + 1).some((other) => callOf(other.about) === call);
    // If all are sent again, a second refusal has a message of its own.
    const isAllSentAgain =
      event.type === 'resend_pressed' &&
      event.callId === null &&
      about.kind === 'send' &&
      about.callId === null;
    const isAnswered = isAllSentAgain || (about.kind === 'reminder' && isAbout(event, about));
    const isLeft = isOpen(builder, about) && !isRepeated && !isAnswered;
    return isLeft ? offer : { ...offer, outcome: outcomeOf(event, about, builder.job) };
  });
  if (after.every((offer, index) => offer === offers[index])) return;
  builder.change({ offers: after });
  builder.schedule('refresh_posts');
}

/** The decision on the subject of a button; null: unknown, or none. */
export function outcomeOfMatter({ offers = [] }: Job, press: JobEvent): OfferOutcome | null {
  return offers.findLast(({ about }) => isAbout(press, about))?.outcome ?? null;
}

function isAbout(press: JobEvent, about: OfferSubject): boolean {
  switch (about.kind) {
    case 'start': {
      const isSameCall = 'callId' in press && about.callId !== undefined && press.callId === about.callId;
      return isSameCall || ('creates' in press && press.creates === about.creates);
    }
    case 'send':
      return press.type === 'resend_pressed' && press.callId === about.callId;
    case 'watch':
      return (
        (press.type === 'keep_watching_pressed' || press.type === 'stop_watching_pressed') &&
        press.question === about.question
      );
    case 'draft':
      return 'draft' in press && press.draft === about.number;
    case 'reminder':
      return 'reminderId' in press && press.reminderId === about.reminderId;
  }
}

/** The call whose replies it concerns; null: of all calls. Undefined: it concerns none. */
function callOf(about: OfferSubject): string | null | undefined {
  return 'callId' in about ? about.callId : undefined;
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

/** What an event means for the offers that it decides. */
const DEEDS: { readonly [T in JobEvent['type']]?: OfferDeed } = {
  start_again_pressed: 'started_again',
  resend_pressed: 'sent_again',
  request_edited: 'edited',
  draft_started: 'started',
  agent_job_named: 'found',
  start_dismissed: 'dismissed',
  keep_watching_pressed: 'kept_watching',
  stop_watching_pressed: 'stopped_watching',
  remind_again_pressed: 'wants_reminder',
  no_more_reminders_pressed: 'wants_no_reminder',
  job_found: 'confirmed',
};

const DEEDS_OF_ACCEPTANCE: { readonly [K in OfferSubject['kind']]?: OfferDeed } = {
  start: 'continued',
  send: 'confirmed',
};

function outcomeOf(event: JobEvent, about: OfferSubject, { stage }: Job): OfferOutcome {
  if (about.kind === 'draft' && stage.kind === 'dropped') {
    return { deed: stage.why === 'not_posted' ? 'moot' : stage.why, by: stage.byUserId };
  }
  const deed = event.type === 'message_accepted' ? DEEDS_OF_ACCEPTANCE[about.kind] : DEEDS[event.type];
  if (deed === undefined) return { deed: 'moot', by: null };
  const by = ('userId' in event ? event.userId : null) ?? null;
  if (event.type === 'start_dismissed' && event.other !== undefined)
    return { deed: 'watched_elsewhere', by, other: event.other };
  const isCounted = event.type === 'resend_pressed' && 'count' in about;
  return { deed, by, ...(isCounted && { count: about.count }) };
}
