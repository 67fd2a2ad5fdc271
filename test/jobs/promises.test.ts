import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobEvent } from '../../src/jobs/event.ts';
import { failures, HOUR_MS, MINUTE_MS } from './support/builders.ts';
import { act, anyLife, type Deed } from './support/deeds.ts';
import { World } from './support/world.ts';

const RUNS = 500;

const anyPolicy = fc.record({
  promptMaxLength: fc.constant(40),
  followUpWindowMs: fc.constantFrom(0, 4_000),
  settleWindowMs: fc.constantFrom(0, 90_000),
  retryUnknown: fc.constantFrom('never', 'messages', 'all'),
});

/** Lives through it, and holds the promise against the world after every deed. */
function always(promise: (world: World) => void): void {
  fc.assert(
    fc.property(anyPolicy, anyLife, (policy, life) => {
      const world = new World(policy);
      for (const deed of life) {
        act(world, deed);
        promise(world);
      }
    }),
    { numRuns: RUNS },
  );
}

describe('whatever happens, in whatever order, late, twice, and with a clock that jumps', () => {
  test('no call is wanted twice, but for notices, which are once per link and channel', () => {
    always((world) => {
      expect(world.repeatedKeys.filter((key) => !key.startsWith('notice'))).toEqual([]);
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
      expect(world.states).toHaveLength(world.replies.length);
      expect([...world.followUps.values()].map(({ text }) => text).sort()).toEqual([...world.replies].sort());
    });
  });

  test('a reply is in one message that the API accepted, if it is sent, and in none else', () => {
    always((world) => {
      const accepted = acceptedIds(world);
      const sent = [...world.followUps.values()].filter(({ state }) => state === 'sent');
      expect([...accepted].sort()).toEqual(sent.map(({ id }) => id).sort());
    });
  });

  test('the replies that nobody had to send again are accepted in their order', () => {
    always((world) => {
      const resent = new Set(
        world.calls
          .filter(
            ({ state, id }) =>
              state === 'unknown' || world.told.some((n) => 'callId' in n && n.callId === id),
          )
          .flatMap(({ followUpIds }) => followUpIds),
      );
      const times = acceptedIds(world)
        .filter((id) => !resent.has(id))
        .map((id) => world.followUps.get(id)?.messageTs);
      expect(times).toEqual([...times].sort());
    });
  });

  test('the same link is not announced twice in a row', () => {
    always((world) => {
      const urls = world.told.flatMap((news) => (news.kind === 'pull_request' ? [news.url] : []));
      expect(urls.filter((url, index) => url === urls[index - 1])).toEqual([]);
    });
  });

  test('the link of a job that is over was announced', () => {
    always(({ job }) => {
      if (job.stage.kind !== 'ended' || job.stage.status === 'vanished') return;
      expect([null, job.announcedPrLink]).toContain(job.agentJob?.prLink);
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
      const again = world.apply(last);
      expect({ calls: again.calls.map(({ request }) => request), followUps: again.followUps }).toEqual({
        calls: [],
        followUps: [],
      });
    });
  });

  test('everything comes to its end once the world is well again', () => {
    fc.assert(
      fc.property(anyPolicy, anyLife, (policy, life) => {
        const world = new World(policy);
        for (const deed of life) act(world, deed);
        for (const deed of theGoodEnd) act(world, deed);
        expect(['ended', 'unopened', 'create_unknown', 'rejected']).toContain(world.job.stage.kind);
        if (world.job.stage.kind !== 'ended') return;
        expect(world.job.trouble?.source).not.toBe('check');
        expect(world.states.filter((state) => state === 'waiting' || state === 'sending')).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The agent takes what it is given, and finishes; replies go out until none is left. */
const theGoodEnd: readonly Deed[] = [
  { do: 'card', refused: false },
  { do: 'jump', ms: 2 * HOUR_MS },
  { do: 'get_says', answer: {} },
  ...Array.from({ length: 60 }).flatMap((): Deed[] => [
    { do: 'wait', ms: MINUTE_MS },
    { do: 'agent_takes', described: false },
  ]),
  { do: 'wait', ms: 10 * MINUTE_MS },
  { do: 'get_says', answer: { status: 'completed' } },
  { do: 'wait', ms: 10 * MINUTE_MS },
];

function acceptedIds(world: World): string[] {
  return world.calls
    .filter(({ request, state }) => request.kind === 'send_message' && state === 'done')
    .flatMap(({ followUpIds }) => followUpIds);
}

/** What nobody and nothing would ever take up again. */
function whatIsStuck(world: World): string[] {
  const { stage } = world.job;
  const isOffered = (callId: string | null) =>
    world.told.some((news) => 'callId' in news && news.callId === callId);
  const isAlive = {
    opening: world.open('post_card').length > 0,
    unopened: true,
    creating: world.open('create_job').length > 0,
    create_unknown: stage.kind === 'create_unknown' && isOffered(stage.callId),
    rejected: world.told.some(({ kind }) => kind === 'create_rejected'),
    working: world.tasks.has('check_job'),
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

/** A second failure may be the second try's; a second check reads again; each press of a button is answered. */
function mayCountTwice(event: JobEvent): boolean {
  if (event.type === 'create_failed') return event.failure.reason !== failures.rejected.reason;
  return event.type === 'check_failed' || event.type === 'resend_pressed';
}
