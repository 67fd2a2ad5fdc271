import type { JobEvent } from '../event.ts';
import { stepResultOf } from '../steps.ts';
import {
  type Deciders,
  type Decision,
  DecisionBuilder,
  type DecisionContext,
  type JobState,
} from './decision-builder.ts';
import { noteTrouble } from './failures.ts';
import { closeOffers, coreAnswers, coreOffers, type OfferTable } from './offers.ts';
import { followUpDeciders } from './replies/follow-ups.ts';
import { replyDeciders } from './replies/replies.ts';
import { snippetDeciders } from './replies/snippets.ts';
import { createDeciders } from './start/create.ts';
import { draftDeciders } from './start/drafts.ts';
import { cardDeciders } from './start/open.ts';
import { countNews, pauseLooks, watchDeciders } from './watch/long-running.ts';
import { checkDeciders } from './watch/observe.ts';

const coreDeciders = {
  ...cardDeciders,
  ...draftDeciders,
  ...createDeciders,
  ...replyDeciders,
  ...followUpDeciders,
  ...snippetDeciders,
  ...checkDeciders,
  ...watchDeciders,
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

export interface DecisionTable extends OfferTable {
  readonly deciders: Deciders;
}

export const coreDecisions = { deciders: coreDeciders, offers: coreOffers, answers: coreAnswers };

export type FeatureDecisions = { readonly [Name in keyof DecisionTable]?: Partial<DecisionTable[Name]> };

/** A late or repeated event changes nothing. */
export function decide(
  state: JobState,
  event: JobEvent,
  context: DecisionContext,
  table: DecisionTable,
): Decision {
  const builder = new DecisionBuilder(state, context);
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
