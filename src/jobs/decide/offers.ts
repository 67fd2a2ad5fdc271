import type { JobEvent } from '../event.ts';
import {
  type Job,
  mayStartAgain,
  type Offer,
  type OfferAnswer,
  type OfferOutcome,
  type OfferSubject,
} from '../job.ts';
import type { DecisionBuilder } from './decision-builder.ts';

interface OfferRule<About> {
  isAbout(press: JobEvent, about: About): boolean;
  isOpen(builder: DecisionBuilder, about: About, event: JobEvent): boolean;
}

export type OfferRules = {
  readonly [K in OfferSubject['kind']]: OfferRule<Extract<OfferSubject, { readonly kind: K }>>;
};

export type OfferAnswers = { readonly [T in JobEvent['type']]?: OfferAnswer };

export interface OfferTable {
  readonly offers: OfferRules;
  readonly answers: OfferAnswers;
}

function ruleOf({ kind }: OfferSubject, { offers }: OfferTable) {
  return offers[kind] as OfferRule<OfferSubject>;
}

export function closeOffers(builder: DecisionBuilder, event: JobEvent, table: OfferTable): void {
  const offers = builder.job.offers ?? [];
  const after = offers.map((offer, index): Offer => {
    if (offer.outcome !== null) return offer;
    const { about } = offer;
    // A newer message about the same replies replaces the older one.
    const call = callOf(about);
    const isRepeated =
      call !== undefined && offers.slice(index + 1).some((other) => callOf(other.about) === call);
    const isLeft = ruleOf(about, table).isOpen(builder, about, event) && !isRepeated;
    return isLeft ? offer : { ...offer, outcome: outcomeOf(event, about, builder.job, table) };
  });
  if (after.every((offer, index) => offer === offers[index])) return;
  builder.change({ offers: after });
  builder.schedule('refresh_posts');
}

export function outcomeOfOffer(
  { offers = [] }: Job,
  press: JobEvent,
  table: OfferTable,
): OfferOutcome | null {
  return offers.findLast(({ about }) => ruleOf(about, table).isAbout(press, about))?.outcome ?? null;
}

function callOf(about: OfferSubject) {
  return 'callId' in about ? about.callId : undefined;
}

export const coreOffers = {
  start: {
    isAbout: (press, { callId, creates }) => {
      const isSameCall = 'callId' in press && callId !== undefined && press.callId === callId;
      return isSameCall || ('creates' in press && press.creates === creates);
    },
    isOpen: (builder, { callId, creates }) => {
      const { job } = builder;
      if (callId !== undefined && builder.undelivered(callId).length > 0) return true;
      if (job.stage.kind === 'create_unknown') return job.stage.callId === callId;
      return creates === job.creates && mayStartAgain(job);
    },
  },
  send: {
    isAbout: (press, { callId }) => press.type === 'resend_pressed' && press.callId === callId,
    isOpen: (builder, { callId }, event) => {
      // A second refusal has a message of its own.
      const isAllSentAgain = callId === null && event.type === 'resend_pressed' && event.callId === null;
      return !isAllSentAgain && builder.undelivered(callId).length > 0;
    },
  },
  watch: {
    isAbout: (press, { question }) =>
      (press.type === 'keep_watching_pressed' || press.type === 'stop_watching_pressed') &&
      press.question === question,
    isOpen: ({ job: { stage } }, { question: number }) => {
      const question = stage.kind === 'working' ? stage.question : undefined;
      return question?.number === number && question.answer === null;
    },
  },
  draft: {
    isAbout: (press, { number }) => 'draft' in press && press.draft === number,
    isOpen: ({ job: { stage } }, { number }) => stage.kind === 'draft' && stage.number === number,
  },
} satisfies Partial<OfferRules>;

export const coreAnswers: OfferAnswers = {
  start_again_pressed: 'started_again',
  resend_pressed: 'sent_again',
  request_edited: 'edited',
  draft_started: 'started',
  agent_job_named: 'found',
  start_dismissed: 'dismissed',
  keep_watching_pressed: 'kept_watching',
  stop_watching_pressed: 'stopped_watching',
  job_found: 'confirmed',
};

const ANSWERS_OF_ACCEPTANCE: { readonly [K in OfferSubject['kind']]?: OfferAnswer } = {
  start: 'continued',
  send: 'confirmed',
};

function outcomeOf(
  event: JobEvent,
  about: OfferSubject,
  { stage }: Job,
  { answers }: OfferTable,
): OfferOutcome {
  if (about.kind === 'draft' && stage.kind === 'dropped') {
    return { answer: stage.why === 'not_posted' ? 'moot' : stage.why, by: stage.byUserId };
  }
  const answer = event.type === 'message_accepted' ? ANSWERS_OF_ACCEPTANCE[about.kind] : answers[event.type];
  if (answer === undefined) return { answer: 'moot', by: null };
  const by = ('userId' in event ? event.userId : null) ?? null;
  if (event.type === 'start_dismissed' && event.other !== undefined)
    return { answer: 'watched_elsewhere', by, other: event.other };
  const isCounted = event.type === 'resend_pressed' && 'count' in about;
  return { answer, by, ...(isCounted && { count: about.count }) };
}
