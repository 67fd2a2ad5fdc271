import { describe, expect, test } from 'vitest';
import { announcedLink } from '../../src/jobs/announcement.ts';
import type { JobEvent } from '../../src/jobs/event.ts';
import type { FollowUpState } from '../../src/jobs/follow-ups/follow-up.ts';
import { isUnwatched } from '../../src/jobs/job.ts';
import { fc } from '../support/properties.ts';
import { act } from './support/actions.ts';
import { anyLife, anyPolicy } from './support/any-life.ts';
import { CORRECTION, failures } from './support/builders.ts';
import { theGoodEnd } from './support/good-end.ts';
import { World } from './support/world.ts';
import type { WorldCall } from './support/world-facts.ts';

const RUNS = 500;

/** Lives through it, and holds the promise against the world after every action. */
function always(promise: (world: World) => void): void {
  fc.assert(
    fc.property(anyPolicy, anyLife, (policy, life) => {
      const world = new World(policy);
      for (const action of life) {
        act(world, action);
        promise(world);
      }
    }),
    { numRuns: RUNS },
  );
}

describe('whatever happens, in whatever order, late, twice, and with a clock that jumps', () => {
  test('no call is wanted twice, but for what the ledger lets be said once: a notice, a delay, or an end of a pull request', () => {
    always((world) => {
      expect(
        world.repeatedKeys.filter((key) => !/^notice|:delayed:|^pr:.*:(merged|closed)$/.test(key)),
      ).toEqual([]);
    });
  });

  test('one create and one message call are under way at most', () => {
    always((world) => {
      expect(world.open('create_job').length).toBeLessThanOrEqual(1);
      expect(world.open('send_message').length).toBeLessThanOrEqual(1);
    });
  });

  test('every reply stays in sight: it waits, is being sent, is sent, is not, or nobody knows', () => {
    always((world) => {
      const inSight = [...world.followUps.values()].filter(({ state }) => state !== 'withdrawn');
      expect(inSight.map(({ messageTs }) => messageTs)).toEqual(
        expect.arrayContaining(world.thread.standing.map(({ messageTs }) => messageTs)),
      );
    });
  });

  test('replies go out as they read then, and not if they were deleted', () => {
    always((world) => {
      for (const { request, texts } of world.calls) {
        if (request.kind !== 'send_message') continue;
        expect(request.prompt.replaceAll(CORRECTION, '')).toBe(texts.join('\n\n'));
      }
    });
  });

  test('a reply is in one message that the API accepted, if it is sent, and in none else', () => {
    always((world) => {
      const accepted = acceptedIds(world).filter((id) => world.followUps.get(id)?.isCorrection === false);
      const sent = [...world.followUps.values()].filter((one) => one.state === 'sent' && !one.isCorrection);
      expect(accepted.sort()).toEqual(sent.map(({ id }) => id).sort());
    });
  });

  test('the replies that nobody had to send again are accepted in their order, as far as it was known', () => {
    always((world) => {
      expect(takenTooEarly(world)).toEqual([]);
    });
  });

  test('the same link is not announced twice in a row', () => {
    always((world) => {
      const urls = world.told.flatMap((news) => announcedLink(news) ?? []);
      expect(urls.filter((url, index) => url === urls[index - 1])).toEqual([]);
    });
  });

  test('the link of a job that is over was announced', () => {
    always(({ job, told }) => {
      if (job.stage.kind !== 'ended' || job.stage.status === 'vanished') return;
      expect([null, ...told.map(announcedLink)]).toContain(job.agentJob?.prLink);
    });
  });

  test('nothing ends in silence: a call, a due time or a button will wake the job', () => {
    always((world) => {
      expect(whatIsStuck(world)).toEqual([]);
    });
  });

  test('an event that comes twice at once has no second effect', () => {
    always((world) => {
      const last = world.events.at(-1);
      // Time that passes may rightly change what an answer means.
      if (last === undefined || world.lastEventAtMs !== world.nowMs || mayCountTwice(last)) return;
      const before = { calls: [...world.calls], followUps: new Map(world.followUps) };
      world.apply(last);
      expect({ calls: world.calls, followUps: world.followUps }).toEqual(before);
    });
  });

  test('everything comes to its end once the world is well again', () => {
    fc.assert(
      fc.property(anyPolicy, anyLife, (policy, life) => {
        const world = new World(policy);
        for (const action of life) act(world, action);
        for (const action of theGoodEnd) act(world, action);
        expect(['ended', 'card_failed', 'create_unknown', 'rejected']).toContain(world.job.stage.kind);
        if (world.job.stage.kind !== 'ended') return;
        expect(world.job.trouble?.source).not.toBe('check');
        expect(world.states.filter((state) => state === 'waiting' || state === 'sending')).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** Replies that were taken before an older one that Slack had delivered when their message was made. */
function takenTooEarly(world: World): string[] {
  const isResent = ({ state, id }: WorldCall) =>
    state === 'unknown' || world.told.some((news) => 'callId' in news && news.callId === id);
  const resent = new Set(world.calls.filter(isResent).flatMap(({ followUpIds }) => followUpIds));
  // What was kept between people or not sent at first is sent when somebody wants it, as is a correction.
  for (const { after } of world.moments) {
    for (const { id, state, isCorrection } of after) {
      if (isCorrection || isKeptBack(state)) resent.add(id);
    }
  }
  const order = world.calls
    .filter(({ request, state }) => request.kind === 'send_message' && state === 'done')
    .flatMap(({ followUpIds, wantedAfter }) => followUpIds.map((id) => ({ id, wantedAfter })))
    .filter(({ id }) => !resent.has(id))
    .map(({ id, wantedAfter }) => ({ messageTs: world.followUps.get(id)?.messageTs ?? '', wantedAfter }));
  const toldAfter = (messageTs: string) =>
    world.events.findIndex((e) => e.type === 'reply_received' && e.reply.messageTs === messageTs);
  return order.flatMap((early, index) =>
    order
      .slice(index + 1)
      .filter(({ messageTs }) => messageTs < early.messageTs && toldAfter(messageTs) < early.wantedAfter)
      .map(({ messageTs }) => `${early.messageTs} before ${messageTs}`),
  );
}

function isKeptBack(state: FollowUpState): boolean {
  return ['aside', 'muted', 'excluded', 'not_sent', 'unknown'].includes(state);
}

function acceptedIds(world: World): string[] {
  return world.calls
    .filter(({ request, state }) => request.kind === 'send_message' && state === 'done')
    .flatMap(({ followUpIds }) => followUpIds);
}

/** Work that would never be taken up again. */
function whatIsStuck(world: World): string[] {
  const { stage } = world.job;
  const isOffered = (callId: string | null) =>
    world.told.some((news) => 'callId' in news && news.callId === callId);
  const isAlive = {
    opening: world.open('post_card').length > 0,
    awaiting_confirmation: true,
    draft: world.tasks.has('expire_draft'),
    dropped: true,
    card_failed: true,
    creating: world.open('create_job').length > 0,
    create_unknown: stage.kind === 'create_unknown' && isOffered(stage.callId),
    rejected: world.told.some(({ kind }) => kind === 'create_rejected'),
    working: world.tasks.has('check_job') || isUnwatched(world.job),
    ended: true,
  };
  const isSending = (callId: string | null) => world.open('send_message').some(({ id }) => id === callId);
  const isMoving = {
    waiting:
      world.job.agentJob === null ||
      world.tasks.has('send_follow_ups') ||
      world.open('send_message').length > 0,
    sent: true,
    withdrawn: true,
    aside: true,
    muted: true,
    excluded: true,
  };
  return [
    ...(isAlive[stage.kind] ? [] : [`the job is ${stage.kind}`]),
    ...[...world.followUps.values()]
      .filter(({ state, callId }) =>
        state === 'sending'
          ? !isSending(callId)
          : state === 'not_sent' || state === 'unknown'
            ? !isOffered(callId)
            : !isMoving[state],
      )
      .map(({ state }) => `a reply is ${state}`),
  ];
}

/** A second failure may be the second try's; a second check reads again; each press and each form is answered. */
function mayCountTwice(event: JobEvent): boolean {
  if (event.type === 'create_failed') return event.failure.reason !== failures.rejected.reason;
  if (event.type === 'start_again_pressed') return event.creates !== undefined && event.callId !== undefined;
  return ['check_failed', 'resend_pressed', 'follow_up_written'].includes(event.type);
}
