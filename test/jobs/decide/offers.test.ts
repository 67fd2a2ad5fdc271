import { describe, expect, test } from 'vitest';
import { eventFeatures } from '../../../src/app/features.ts';
import { type DecisionTable, decide as decideWith, outcomeOfOffer } from '../../../src/jobs/decide/decide.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { OfferSubject } from '../../../src/jobs/job.ts';
import { fc } from '../../support/properties.ts';
import { act } from '../support/actions.ts';
import { anyLife, anyPolicy } from '../support/any-life.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, policy as policyOfTests } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aWorkingJob } from '../support/stages.ts';
import { checked, fails, follows, goesOut, happens, live, passes, says } from '../support/story.ts';
import { World } from '../support/world.ts';

const outcomes = (world: World) => (world.job.offers ?? []).map(({ outcome }) => outcome);

function pressOf(about: OfferSubject): JobEvent {
  switch (about.kind) {
    case 'start':
      return { type: 'start_again_pressed', ...about, userId: 'U2' };
    case 'send':
      return { type: 'resend_pressed', callId: about.callId, userId: 'U2' };
    case 'draft':
      return { type: 'draft_dismissed', draft: about.number, userId: 'U2' };
    case 'reminder':
      return { type: 'remind_again_pressed', reminderId: about.reminderId, userId: 'U2' };
    case 'review_news':
      return { type: 'news_answered', news: about.keys[0] ?? '', userId: 'U2', text: '' };
    case 'watch':
      return { type: 'keep_watching_pressed', question: about.question, userId: 'U2' };
  }
}

describe('an offer of a feature that has been removed', () => {
  const { reminder: _, ...offers } = eventFeatures.decisions.offers;
  const table = { ...eventFeatures.decisions, offers } as DecisionTable;
  const about = { kind: 'reminder', reminderId: 'r1', url: 'https://github.com/acme/docs/pull/1' } as const;
  const old = { postId: 'p1', about, outcome: null, isShown: false };

  test('is settled by the next event, whatever it is', () => {
    const state = { job: { ...aWorkingJob().job, offers: [old] }, followUps: [] };
    const press = { type: 'stop_watching_pressed', question: 1, userId: 'U2' } as const;
    const context = { nowMs: 0, jitter: 0, newId: () => 'id', policy: policyOfTests };
    expect(decideWith(state, press, context, table).job.offers).toEqual([
      { ...old, outcome: { answer: 'moot', by: null } },
    ]);
  });

  test('is no answer to a press', () => {
    const { job } = aWorkingJob();
    const press = { type: 'remind_again_pressed', reminderId: 'r1', userId: 'U2' } as const;
    expect(outcomeOfOffer({ ...job, offers: [old] }, press, table)).toBeNull();
  });
});

describe('what a message in the thread offers', () => {
  const endsWith = (world: World, outcome: unknown) => expect(outcomes(world)).toEqual([outcome]);
  const aFailedJob = () => anEndedJob({ status: 'failed' });
  const startsAgain = (userId: string) => happens({ type: 'start_again_pressed', creates: 1, userId });
  /** The agent has been at it for so long that the thread was asked. */
  const aLongTurn = () => live(aWorkingJob(), passes(6 * HOUR_MS + MINUTE_MS));

  function anUnclearStart(): { world: World; callId: string } {
    const world = aJobBeingCreated();
    const callId = world.open('create_job')[0]?.id ?? '';
    live(world, fails(failures.timeout));
    endsWith(world, null);
    return { world, callId };
  }

  test('is settled by whoever presses its button first', () => {
    const world = live(aFailedJob(), startsAgain('U2'), startsAgain('U3'));
    endsWith(world, { answer: 'started_again', by: 'U2' });
    expect(world.tasks.has('refresh_posts')).toBe(true);
  });

  test('is settled by nobody if the agent answers late, or the turn ends', () => {
    const { world, callId } = anUnclearStart();
    world.apply({ type: 'job_found', callId, agentJob: anAgentJob() });
    endsWith(world, { answer: 'confirmed', by: null });
    endsWith(live(aLongTurn(), checked({ status: 'completed' })), { answer: 'moot', by: null });
  });

  test('of an unclear start is settled by whoever dismisses it: then nothing is asked of the agent any more', () => {
    const { world, callId } = anUnclearStart();
    world.apply({ type: 'start_dismissed', callId, userId: 'U2' });
    endsWith(world, { answer: 'dismissed', by: 'U2' });
    expect(world.job.stage).toMatchObject({ kind: 'dropped', why: 'dismissed', byUserId: 'U2' });
    world.apply({ type: 'start_again_pressed', callId, userId: 'U3' });
    world.apply({ type: 'job_found', callId, agentJob: anAgentJob() });
    world.apply({ type: 'start_dismissed', callId, userId: 'U3' });
    expect(world.job.stage).toMatchObject({ kind: 'dropped', byUserId: 'U2' });
    expect(world.open('create_job')).toEqual([]);
    expect(world.job.threadTs).toBeNull();
  });

  test('of a failed job is settled by the reply that reopens it', () => {
    endsWith(live(aFailedJob(), follows()), { answer: 'continued', by: null });
  });

  test('of a long turn goes without a word when somebody replies', () => {
    endsWith(live(aLongTurn(), follows()), { answer: 'moot', by: null });
  });

  test('at the end of a turn, about all replies that it may not include, is settled when they are sent again', () => {
    const ended = checked({ status: 'completed' });
    const unclear = [says('Use the CLI'), goesOut, fails(failures.timeout)];
    const world = live(aWorkingJob(), ...unclear, ended, ended);
    expect(world.job.offers?.at(-1)).toMatchObject({ about: { kind: 'send', callId: null }, outcome: null });
    world.apply({ type: 'resend_pressed', callId: null, userId: 'U2' });
    const sentAgain = { answer: 'sent_again', by: 'U2', count: 1 };
    expect(outcomes(world)).toEqual([sentAgain, sentAgain]);
  });

  test('is shown once', () => {
    const world = live(aFailedJob(), startsAgain('U2'));
    const postIds = (world.job.offers ?? []).map(({ postId }) => postId);
    world.apply({ type: 'offers_shown', postIds });
    expect(world.job.offers).toMatchObject([{ isShown: true }]);
  });

  test('can be decided as long as it has a button, in any life, and then has none', () => {
    fc.assert(
      fc.property(anyPolicy, anyLife, (policy, actions) => {
        const world = new World(policy);
        for (const action of actions) act(world, action);
        for (const { postId, about } of (world.job.offers ?? []).filter(({ outcome }) => outcome === null)) {
          const isOpen = () => world.job.offers?.find((offer) => offer.postId === postId)?.outcome === null;
          // Another button of the same thread may have decided it just now.
          if (!isOpen()) continue;
          const before = world.job;
          world.apply(pressOf(about));
          expect(world.job).not.toBe(before);
          expect(isOpen()).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});
