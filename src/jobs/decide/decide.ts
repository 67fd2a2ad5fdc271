import type { Decision, DecisionContext, JobState } from '../decision.ts';
import type { JobEvent } from '../event.ts';
import { stepOf, stepResultOf } from '../steps.ts';
import { type Deciders, DecisionBuilder } from './decision-builder.ts';
import { settleOffers } from './offers.ts';
import { pullRequestDeciders } from './pull-requests.ts';
import { followUpDeciders } from './replies/follow-ups.ts';
import { replyDeciders } from './replies/replies.ts';
import { snippetDeciders } from './replies/snippets.ts';
import { createDeciders } from './start/create.ts';
import { draftDeciders } from './start/drafts.ts';
import { cardDeciders } from './start/open.ts';
import { countNews, pauseLooks, watchDeciders } from './watch/long-running.ts';
import { checkDeciders } from './watch/observe.ts';

const DECIDERS: Deciders = {
  ...cardDeciders,
  ...draftDeciders,
  ...createDeciders,
  ...replyDeciders,
  ...followUpDeciders,
  ...snippetDeciders,
  ...checkDeciders,
  ...watchDeciders,
  ...pullRequestDeciders,
  old_replies_found: (builder, { count }) => builder.announce({ kind: 'caught_up', count }),
  follow_up_written: (builder, { userId, text }) => builder.announce({ kind: 'follow_up', userId, text }),
  need_dismissed: (builder, { need }) => builder.change({ dismissedNeed: need }),
  // There is none without a further request: this only settles the offer.
  no_more_reminders_pressed: () => {},
  // This concerns only the recipe, whose row says whether it is paused.
  pause_refused: () => {},

  /** Announced once in the channel: its administrators decide when the recipe continues. */
  recipe_paused(builder) {
    const { id, recipe } = builder.job;
    if (recipe === undefined) return;
    const key = `paused:${id}:${builder.context.nowMs}`;
    builder.addCall(key, builder.lane('slack', 'recipe'), { kind: 'tell_paused', recipe });
  },

  /** Announced once for each job, however often it keeps its recipe from starting. */
  recipe_skipped(builder) {
    const { id, recipe } = builder.job;
    if (recipe !== undefined) builder.announceOnce(`skipped:${id}`, { kind: 'recipe_skipped', recipe });
  },

  /** Announced once per channel, however many notices it refuses. */
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
