import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../../src/jobs/agent-job.ts';
import { failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aWorkingJob } from '../support/stages.ts';
import { checked, happens, laterBy, live, passes, type Step, says, shows } from '../support/story.ts';
import type { World } from '../support/world.ts';

const link = 'https://example.com/pull/1';
const completed = { status: 'completed', prLink: link };
const finished = `finished, first pull request ${link}`;
const anyMissing = [
  ['in the words of the API', failures.notFound],
  ['by a gateway', failures.noSuchPath],
] as const;

/** The replies are sent whenever they are due, and fail so. */
const sentInVain =
  (failure: AgentFailure, forMs: number): Step =>
  (world) => {
    const untilMs = world.nowMs + forMs;
    while (world.nowMs < untilMs) {
      if (world.open('send_message').length > 0) world.messageFails(failure);
      world.advance(SECOND_MS);
    }
  };

describe('a job that cannot be found', () => {
  const aWatchedJob = () => live(aWorkingJob(), passes(5 * SECOND_MS));

  test.each(anyMissing)('for 90 seconds, %s, is not gone: the card waits, and it goes on', (_by, failure) => {
    const world = live(aWatchedJob(), shows(failure, 3 * MINUTE_MS));
    expect(world.job.stage.kind).toBe('working');
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'check' });
    live(world, shows(completed, 6 * MINUTE_MS));
    expect(world.news).not.toContain('vanished');
    expect(world.news.at(-1)).toBe(finished);
  });

  test.each(anyMissing)('for an hour, %s, is gone, and was asked for seldom', (_by, failure) => {
    const world = live(aWatchedJob(), shows(failure, 59 * MINUTE_MS));
    expect(world.news).not.toContain('vanished');
    expect(world.events.length).toBeLessThan(70);
    live(world, passes(10 * MINUTE_MS));
    expect(world.news.at(-1)).toBe('vanished');
    expect(world.news).not.toContain('recovered');
  });

  test('by the API’s own words, while it knows other jobs, is gone after the settle window', () => {
    const world = aWatchedJob();
    const missed = (failure: AgentFailure, othersAnsweredAtMs: number) =>
      happens({ type: 'check_failed', agentJobId: 'agent-1', failure, othersAnsweredAtMs });
    const before = world.nowMs;
    const lately = before + 99 * SECOND_MS;
    const misses = [missed(failures.notFound, before), missed(failures.noSuchPath, lately)];
    live(world, missed(failures.notFound, before), laterBy(100 * SECOND_MS));
    for (const miss of misses) expect(live(world, miss).job.stage.kind).toBe('working');
    live(world, missed(failures.notFound, lately));
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'vanished' });
    expect(world.job.trouble).toBeNull();
  });

  test.each([
    ['another failure', failures.timeout],
    ['an answer', {}],
  ])('again and again for hours, with %s between each time, is not gone', (_between, found) => {
    const world = aWorkingJob();
    const later = laterBy(5 * MINUTE_MS);
    for (let minutes = 0; minutes < 180; minutes += 10)
      live(world, checked(failures.noSuchPath), later, checked(found), later);
    expect(live(world, checked(failures.noSuchPath)).job.stage.kind).toBe('working');
  });

  test('is back after it was called gone: the thread says how it is', () => {
    const world = live(aWorkingJob(), shows(failures.noSuchPath, 2 * HOUR_MS));
    expect(world.news.at(-1)).toBe('vanished');
    expect(live(world, shows({}, HOUR_MS)).news.at(-1)).toBe('started');
    expect(live(world, shows(completed, HOUR_MS)).news.at(-1)).toBe(finished);
  });
});

describe('a reply whose job cannot be found', () => {
  const replied = (...steps: readonly Step[]) =>
    live(anEndedJob({ prLink: link }), ...steps, says('one more thing'));
  const offer = (world: World) => {
    const told = world.told.findLast(({ kind }) => kind === 'message_rejected');
    return told?.kind === 'message_rejected' ? told.action : null;
  };

  test.each(anyMissing)('for a minute, %s, goes out then, and nobody has to do anything', (_by, failure) => {
    const world = live(replied(), sentInVain(failure, MINUTE_MS));
    expect(world.states).toEqual([world.open('send_message').length > 0 ? 'sending' : 'waiting']);
    live(world, passes(2 * MINUTE_MS)).accepted();
    expect(world.states).toEqual(['sent']);
    expect(offer(world)).toBeNull();
  });

  test('in the API’s own words for minutes: it is announced, and no second job is offered', () => {
    const world = live(replied(shows(completed, 0)), sentInVain(failures.notFound, 6 * MINUTE_MS));
    expect(world.states).toEqual(['not_sent']);
    expect(offer(world)).toBe('send_again');
  });

  test.each(anyMissing)('for an hour, %s: another job is offered', (_by, failure) => {
    const world = live(aWorkingJob(), shows(failure, 2 * HOUR_MS), says('one more thing'));
    live(world, sentInVain(failure, 10 * SECOND_MS));
    expect(world.states).toEqual(['not_sent']);
    expect(offer(world)).toBe('start_again');
  });

  test('by a gateway, though the job can be read: the thread says that the reply waits', () => {
    const steps = [says('one more thing'), sentInVain(failures.noSuchPath, 10 * MINUTE_MS)];
    const world = live(aWorkingJob(), ...steps);
    expect(world.states).toEqual(['waiting']);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'send', isAnnounced: true });
    expect(world.news.at(-1)).toMatch(/^unreachable/);
  });

  test('now and then in an outage of another kind: no second job is offered', () => {
    const fails = (failure: AgentFailure, minutes: number) => [
      shows(failure, 0),
      sentInVain(failure, minutes * MINUTE_MS),
    ];
    const missed = fails(failures.noSuchPath, 10);
    const world = live(replied(), ...missed, ...fails(failures.unreachable, 70), ...missed);
    expect(world.states).not.toContain('not_sent');
  });

  test('by a gateway, for hours: it waits as long as the job was not called gone', () => {
    const world = replied(shows(failures.noSuchPath, 0));
    live(world, sentInVain(failures.noSuchPath, 50 * MINUTE_MS));
    expect(world.states.every((state) => state !== 'not_sent')).toBe(true);
    expect(offer(live(world, sentInVain(failures.noSuchPath, 20 * MINUTE_MS)))).toBe('start_again');
  });
});
