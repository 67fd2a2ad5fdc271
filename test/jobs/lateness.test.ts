import { describe, expect, test } from 'vitest';
import type { AgentJob } from '../../src/jobs/agent-job.ts';
import { isEnded } from '../../src/jobs/agent-job.ts';
import { announcedLink } from '../../src/jobs/pull-requests/announced-link.ts';
import { LOOKED_AT_FOR_MS } from '../../src/jobs/schedule/schedule.ts';
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

function announced(world: World): string[] {
  return world.told.flatMap((news) => announcedLink(news) ?? []);
}

describe('whatever the API says, and however late', () => {
  test('in the end the card and the thread say what it says, and no link twice in a row', () => {
    fc.assert(
      fc.property(anyShowing(0, 6 * HOUR_MS), (showing) => {
        const world = live(showing);
        world.advance(LOOKED_AT_FOR_MS);
        const last = showing.at(-1) ?? { status: 'active', prLink: null };
        expect(world.job.agentJob).toMatchObject({ status: last.status, prLink: last.prLink });
        expect(world.job.stage.kind).toBe(isEnded(last.status) ? 'ended' : 'working');
        expect(world.job.lastAnnounced?.status).toBe(last.status);
        if (last.prLink !== null) expect(announced(world).at(-1)).toBe(last.prLink);
        expect(announced(world).filter((url, index, all) => url === all[index - 1])).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('each link that it shows for some minutes is announced once, in the order of the links', () => {
    fc.assert(
      fc.property(anyShowing(12 * MINUTE_MS, 15 * MINUTE_MS), (showing) => {
        const world = live(showing);
        const shown = showing.flatMap(({ prLink }) => prLink ?? []);
        expect(announced(world)).toEqual(shown.filter((url, index) => url !== shown[index - 1]));
      }),
      { numRuns: 300 },
    );
  });

  test('each end that it shows for some minutes is announced, and that somebody else goes on, too', () => {
    fc.assert(
      fc.property(anyShowing(12 * MINUTE_MS, 15 * MINUTE_MS), (showing) => {
        const silent = showing.map((one) => ({ ...one, hasReply: false }));
        const statuses = silent.map(({ status }) => status);
        const changes = statuses.filter((status, index) => status !== (statuses[index - 1] ?? 'active'));
        // After an unknown status, work that had not ended only goes on.
        const news = changes.filter((status, index) => {
          const before = changes.slice(0, index).findLast((one) => one !== 'napping') ?? 'active';
          return status !== 'active' || isEnded(before);
        });
        const told = live(silent).told.flatMap((announcement) => {
          if (announcement.kind === 'turn_ended') return ['completed'];
          if (announcement.kind === 'started' || announcement.kind === 'continued') return ['active'];
          if (announcement.kind === 'other_status') return [announcement.status];
          const { kind } = announcement;
          return kind === 'failed' || kind === 'archived' ? [kind] : [];
        });
        expect(told).toEqual(['active', ...news]);
      }),
      { numRuns: 300 },
    );
  });
});
