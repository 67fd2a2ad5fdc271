import { describe, expect, test } from 'vitest';
import { type AgentJob, isEnded } from '../../src/jobs/agent-job.ts';
import { announcedLink } from '../../src/jobs/announcement.ts';
import { ENDED_CHECKS_MS } from '../../src/jobs/schedule/schedule.ts';
import { fc } from '../support/properties.ts';
import { anAgentJob, HOUR_MS, MINUTE_MS, SECOND_MS } from './support/builders.ts';
import { aWorkingJob } from './support/stages.ts';
import type { World } from './support/world.ts';

/** What the API says, and for how long it says so; perhaps somebody replies in the middle of it. */
interface Shown {
  readonly status: string;
  readonly prLink: string | null;
  readonly forMs: number;
  readonly hasReply: boolean;
}

const links = [null, 'https://example.com/pull/1', 'https://example.com/pull/2'];

/** Each is another than the one before: what stays the same is no change. */
function anyShowing(minMs: number, maxMs: number): fc.Arbitrary<Shown[]> {
  const shown = fc.record({
    status: fc.constantFrom('active', 'completed', 'completed', 'failed', 'archived', 'napping'),
    prLink: fc.constantFrom(...links),
    forMs: fc.integer({ min: minMs, max: maxMs }),
    hasReply: fc.boolean(),
  });
  return fc.array(shown, { minLength: 1, maxLength: 12 }).map((all) =>
    all
      .map((one) => (isEnded(one.status) ? one : { ...one, prLink: null }))
      .filter((one, index, list) => {
        const before = list[index - 1] ?? { status: 'active', prLink: null };
        return one.status !== before.status || one.prLink !== before.prLink;
      }),
  );
}

function live(showing: readonly Shown[]): World {
  const world = aWorkingJob({ noticeChannels: [] });
  for (const { status, prLink, forMs, hasReply } of showing) {
    world.answer = anAgentJob({ status, prLink });
    world.advance(forMs / 2);
    if (hasReply) {
      world.reply('one more thing');
      world.advance(4 * SECOND_MS);
      if (world.open('send_message').length > 0) world.accepted(pickAnswer(world));
    }
    world.advance(forMs / 2);
  }
  return world;
}

function pickAnswer({ answer }: World): AgentJob | null {
  return 'reason' in answer ? null : answer;
}

/** The links that were news, each with its turn. */
function announced({ calls }: World): { readonly url: string; readonly turn: number }[] {
  return calls.flatMap(({ request, job }) => {
    const url = request.kind === 'announce' ? announcedLink(request.announcement) : null;
    return url === null ? [] : [{ url, turn: job.turn }];
  });
}

function distinct<T>(all: readonly T[]): T[] {
  return [...new Set(all)];
}

describe('whatever the API says, and however late', () => {
  test('in the end the card says what it says, the thread knows the link, and was told of none twice in a turn', () => {
    fc.assert(
      fc.property(anyShowing(0, 6 * HOUR_MS), (showing) => {
        const world = live(showing);
        world.advance(ENDED_CHECKS_MS);
        const last = showing.at(-1) ?? { status: 'active', prLink: null };
        expect(world.job.agentJob).toMatchObject({ status: last.status, prLink: last.prLink });
        expect(world.job.stage.kind).toBe(isEnded(last.status) ? 'ended' : 'working');
        const isToldInThread = last.status === 'active' || isEnded(last.status);
        if (isToldInThread) expect(world.job.lastAnnounced?.status).toBe(last.status);
        const links = announced(world);
        if (last.prLink !== null) expect(links.map(({ url }) => url)).toContain(last.prLink);
        const ofTurns = links.map(({ url, turn }) => `${turn} ${url}`);
        expect(ofTurns).toEqual(distinct(ofTurns));
      }),
      { numRuns: 200 },
    );
  });

  test('each link that it shows for some minutes is announced, in the order of the links', () => {
    fc.assert(
      fc.property(anyShowing(12 * MINUTE_MS, 15 * MINUTE_MS), (showing) => {
        const world = live(showing);
        const shown = showing.flatMap(({ prLink }) => prLink ?? []);
        expect(distinct(announced(world).map(({ url }) => url))).toEqual(distinct(shown));
      }),
      { numRuns: 300 },
    );
  });

  test('no status is announced that it does not show, and none twice unless somebody else went on', () => {
    fc.assert(
      fc.property(anyShowing(12 * MINUTE_MS, 15 * MINUTE_MS), (showing) => {
        const silent = showing.map((one) => ({ ...one, hasReply: false }));
        const told = live(silent).told.flatMap((announcement) => {
          if (announcement.kind === 'turn_ended') return ['completed'];
          if (announcement.kind === 'started' || announcement.kind === 'continued') return ['active'];
          const { kind } = announcement;
          return kind === 'failed' || kind === 'archived' ? [kind] : [];
        });
        const shown = ['active', ...silent.map(({ status }) => status)];
        expect(shown).toEqual(expect.arrayContaining(told));
        const goneOn = told.map(
          (status, index) => told.slice(0, index + 1).filter((one) => one === 'active').length + status,
        );
        expect(goneOn).toEqual(distinct(goneOn));
      }),
      { numRuns: 300 },
    );
  });
});
