import type { JobEvent } from '../event.ts';
import {
  type Job,
  mayStartAgain,
  type Offer,
  type OfferAnswer,
  type OfferOutcome,
  type OfferSubject,
} from '../job.ts';
import { isWaitOn } from '../schedule/schedule.ts';
import { stepResultOf } from '../steps.ts';
import { createDeciders } from './create.ts';
import {
  type Deciders,
  type Decision,
  DecisionBuilder,
  type DecisionContext,
  type JobState,
} from './decision-builder.ts';
import { noteTrouble } from './failures.ts';
import { followUpDeciders } from './follow-ups.ts';
import { checkAt, checkDeciders, isPaused, LONGEST_NEWS_PAUSE_MS } from './observe.ts';
import { startDeciders } from './open.ts';
import { replyDeciders } from './replies.ts';
import { withKnownLink } from './turn-news.ts';

const coreDeciders = {
  ...startDeciders,
  ...createDeciders,
  ...replyDeciders,
  ...followUpDeciders,
  ...checkDeciders,
  call_repeated: (builder, { failure }) => void noteTrouble(builder, 'send', failure),
  old_replies_found: (builder, { count }) => builder.announce({ kind: 'caught_up', count }),
  follow_up_written: (builder, { userId, text }) => builder.announce({ kind: 'follow_up', userId, text }),
  need_dismissed: (builder, { need }) => builder.change({ dismissedNeed: need }),
  pause_refused: () => {},

  recipe_paused(builder) {
    const { id, recipe } = builder.job;
    if (recipe !== undefined)
      builder.addCall(`paused:${id}:${builder.nowMs}`, { kind: 'tell_paused', recipe });
  },

  recipe_skipped(builder) {
    const { id, recipe } = builder.job;
    if (recipe !== undefined) builder.announceOnce(`skipped:${id}`, { kind: 'recipe_skipped', recipe });
  },

  notice_refused(builder, { channelId, reason }) {
    const key = `notice_failed:${builder.job.id}:${channelId}`;
    builder.announceOnce(key, { kind: 'notice_failed', channelId, reason });
  },

  offers_shown(builder, { postIds }) {
    const offers = builder.job.offers ?? [];
    builder.change({
      offers: offers.map((offer) => (postIds.includes(offer.postId) ? { ...offer, isShown: true } : offer)),
    });
  },
} satisfies Partial<Deciders>;

interface OfferRule<About> {
  isAbout(press: JobEvent, about: About): boolean;
  isOpen(builder: DecisionBuilder, about: About, event: JobEvent): boolean;
}

export type OfferRules = {
  readonly [K in OfferSubject['kind']]: OfferRule<Extract<OfferSubject, { kind: K }>>;
};

export type OfferAnswers = { readonly [T in JobEvent['type']]?: OfferAnswer };

const coreOffers = {
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

const coreAnswers: OfferAnswers = {
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

export interface DecisionTable {
  readonly deciders: Deciders;
  readonly offers: OfferRules;
  readonly answers: OfferAnswers;
}

export const coreDecisions = { deciders: coreDeciders, offers: coreOffers, answers: coreAnswers };

export type FeatureDecisions = { readonly [Name in keyof DecisionTable]?: Partial<DecisionTable[Name]> };

/** A late or repeated event changes nothing. */
export function decide(
  state: JobState,
  given: JobEvent,
  context: DecisionContext,
  table: DecisionTable,
): Decision {
  const builder = new DecisionBuilder(state, context);
  const event = withKnownLink(given, builder);
  const decider = table.deciders[event.type] as (builder: DecisionBuilder, event: JobEvent) => void;
  decider(builder, event);
  closeOffers(builder, event, table);
  completeStep(builder, event);
  if (countNews(builder, event, state.job)) return builder.decision();
  const instead = new DecisionBuilder(state, context);
  pauseLooks(instead);
  return instead.decision();
}

function completeStep(builder: DecisionBuilder, event: JobEvent) {
  const { job } = builder;
  if (job.origin.kind !== 'workflow' || job.isStepCompleted === true) return;
  const result = stepResultOf(job, event.type === 'post_refused' ? event.reason : null);
  if (result === null) return;
  const { executionId } = job.origin;
  builder.change({ isStepCompleted: true });
  builder.addCall(`complete:${executionId}`, { kind: 'complete_step', executionId, result });
}

function closeOffers(builder: DecisionBuilder, event: JobEvent, table: DecisionTable) {
  const offers = builder.job.offers ?? [];
  const after = offers.map((offer, index): Offer => {
    if (offer.outcome !== null) return offer;
    const { about } = offer;
    // A newer message about the same replies replaces the older one.
    const call = callOf(about);
    const isRepeated =
      call !== undefined && offers.slice(index + 1).some((other) => callOf(other.about) === call);
    const rule = ruleOf(about, table);
    if (rule === undefined) return { ...offer, outcome: { answer: 'moot', by: null } };
    const isLeft = !isRepeated && rule.isOpen(builder, about, event);
    return isLeft ? offer : { ...offer, outcome: outcomeOf(event, about, builder.job, table) };
  });
  if (after.every((offer, index) => offer === offers[index])) return;
  builder.change({ offers: after });
  builder.schedule('refresh_posts');
}

export function outcomeOfOffer(
  { offers = [] }: Job,
  press: JobEvent,
  table: DecisionTable,
): OfferOutcome | null {
  return offers.findLast(({ about }) => ruleOf(about, table)?.isAbout(press, about))?.outcome ?? null;
}

function callOf(about: OfferSubject) {
  return 'callId' in about ? about.callId : undefined;
}

/** Undefined: its feature has been removed. */
function ruleOf({ kind }: OfferSubject, { offers }: DecisionTable) {
  return offers[kind] as OfferRule<OfferSubject> | undefined;
}

const ANSWERS_OF_ACCEPTANCE: { readonly [K in OfferSubject['kind']]?: OfferAnswer } = {
  start: 'continued',
  send: 'confirmed',
};

function outcomeOf(
  event: JobEvent,
  about: OfferSubject,
  { stage }: Job,
  { answers }: DecisionTable,
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

export const NEWS_MAX = 8;
export const NEWS_WINDOW_MS = 600_000;

/** Presses that ask for less news. */
const QUIETENING: ReadonlySet<JobEvent['type']> = new Set([
  'mute_pressed',
  'remind_again_pressed',
  'no_more_reminders_pressed',
]);

/** Besides other presses. Everything after these is news. */
const ACTS: ReadonlySet<JobEvent['type']> = new Set([
  'reply_received',
  'follow_up_written',
  'news_answered',
  'draft_started',
  'request_edited',
  'agent_job_named',
  'start_dismissed',
  'job_created',
  'job_found',
  'message_accepted',
]);

/** False: too much news; drop the event. */
function countNews(builder: DecisionBuilder, event: JobEvent, before: Job) {
  const { nowMs } = builder;
  const { recentNews } = builder.job;
  const isPress = event.type.endsWith('_pressed') && !QUIETENING.has(event.type);
  if (isPress || ACTS.has(event.type)) {
    if (recentNews == null) return true;
    const { job, followUps, calls } = builder.decision();
    const hasEffect = job !== before || followUps.length > 0 || calls.length > 0;
    if (!hasEffect) return true;
    if (isPaused(job, nowMs)) {
      checkAt(builder, nowMs);
      builder.refreshCard();
    }
    builder.change({ recentNews: null });
    return true;
  }
  if (event.type !== 'job_checked' && event.type !== 'check_failed') return true;
  const isNews = builder.job.posts > before.posts;
  const wasPaused = recentNews?.pausedUntilMs != null;
  if (!isNews && !wasPaused) return true;
  const atMs = (recentNews?.atMs ?? []).filter((toldAtMs) =>
    isWaitOn(toldAtMs + NEWS_WINDOW_MS, NEWS_WINDOW_MS, nowMs),
  );
  if (isNews && atMs.length >= NEWS_MAX) return false;
  const pauses = recentNews?.pauses ?? 0;
  builder.change({ recentNews: { atMs: isNews ? [...atMs, nowMs] : atMs, pauses, pausedUntilMs: null } });
  if (wasPaused) builder.refreshCard();
  return true;
}

function pauseLooks(builder: DecisionBuilder) {
  const { nowMs } = builder;
  const { atMs = [], pauses = 0 } = builder.job.recentNews ?? {};
  const pauseMs = Math.min(NEWS_WINDOW_MS * 2 ** pauses, LONGEST_NEWS_PAUSE_MS);
  builder.change({ recentNews: { atMs, pauses: pauses + 1, pausedUntilMs: nowMs + pauseMs } });
  builder.announce({ kind: 'keeps_changing', pauseMs });
  checkAt(builder, nowMs + pauseMs);
  builder.refreshCard();
}
