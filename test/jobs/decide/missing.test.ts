import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../../src/jobs/agent-job.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const link = 'https://example.com/pull/1';
const anyMissing = [
  ['in the words of the API', failures.notFound],
  ['by a gateway', failures.noSuchPath],
] as const;

/** The replies are sent whenever they are due, and fail so. */
function sendInVain(world: World, failure: AgentFailure, forMs: number): void {
  const untilMs = world.nowMs + forMs;
  while (world.nowMs < untilMs) {
    if (world.open('send_message').length > 0) world.messageFails(failure);
    world.advance(SECOND_MS);
  }
}

describe('a job that cannot be found', () => {
  test.each(anyMissing)('for 90 seconds, %s, is not gone: the card waits, and it goes on', (_by, failure) => {
    const world = aWorkingJob();
    world.advance(5 * SECOND_MS);
    world.answer = failure;
    world.advance(3 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('working');
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'check' });
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.advance(6 * MINUTE_MS);
    expect(world.news).not.toContain('vanished');
    expect(world.news.at(-1)).toBe(`finished, first pull request ${link}`);
  });

  test.each(anyMissing)('for an hour, %s, is gone, and was asked for seldom', (_by, failure) => {
    const world = aWorkingJob();
    world.advance(5 * SECOND_MS);
    world.answer = failure;
    world.advance(59 * MINUTE_MS);
    expect(world.news).not.toContain('vanished');
    const looks = world.events.length;
    world.advance(10 * MINUTE_MS);
    expect(world.news.at(-1)).toBe('vanished');
    expect(world.news).not.toContain('recovered');
    expect(looks).toBeLessThan(70);
  });

  test('is gone after an hour, though a clock that was a day ahead missed it first', () => {
    const world = aWorkingJob();
    world.answer = failures.noSuchPath;
    world.nowMs += 24 * HOUR_MS;
    world.check(failures.noSuchPath);
    world.nowMs -= 24 * HOUR_MS;
    world.tasks.set('check_job', world.nowMs);
    world.advance(62 * MINUTE_MS);
    expect(world.news.at(-1)).toBe('vanished');
  });

  test('by the API’s own words, while it knows other jobs, is gone after the settle window', () => {
    const world = aWorkingJob();
    world.advance(5 * SECOND_MS);
    const missed = (failure: AgentFailure, othersAnsweredAtMs: number | null) =>
      world.apply({ type: 'check_failed', agentJobId: 'agent-1', failure, othersAnsweredAtMs });
    const before = world.nowMs;
    missed(failures.notFound, before);
    world.nowMs += 100 * SECOND_MS;
    missed(failures.notFound, before);
    expect(world.job.stage.kind).toBe('working');
    missed(failures.noSuchPath, world.nowMs - SECOND_MS);
    expect(world.job.stage.kind).toBe('working');
    missed(failures.notFound, world.nowMs - SECOND_MS);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'vanished' });
    expect(world.job.trouble).toBeNull();
  });

  test('now and then, with other failures between, is not gone', () => {
    const world = aWorkingJob();
    world.check(failures.notFound);
    world.answer = failures.timeout;
    world.advance(2 * HOUR_MS);
    world.check(failures.notFound);
    expect(world.job.stage.kind).toBe('working');
  });

  test.each([
    ['another failure', failures.timeout],
    ['an answer', anAgentJob()],
  ])('again and again for hours, with %s between each time, is not gone', (_between, found) => {
    const world = aWorkingJob();
    for (let minutes = 0; minutes < 180; minutes += 10) {
      world.check(failures.noSuchPath);
      world.nowMs += 5 * MINUTE_MS;
      world.check(found);
      world.nowMs += 5 * MINUTE_MS;
    }
    world.check(failures.noSuchPath);
    expect(world.job.stage.kind).toBe('working');
  });

  test('is back after it was called gone: the thread says how it is', () => {
    const world = aWorkingJob();
    world.answer = failures.noSuchPath;
    world.advance(2 * HOUR_MS);
    expect(world.news.at(-1)).toBe('vanished');
    world.answer = anAgentJob();
    world.advance(HOUR_MS);
    expect(world.news.at(-1)).toBe('started');
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.advance(HOUR_MS);
    expect(world.news.at(-1)).toBe(`finished, first pull request ${link}`);
  });
});

describe('a reply whose job cannot be found', () => {
  const offer = (world: World) => {
    const told = world.told.findLast(({ kind }) => kind === 'message_rejected');
    return told?.kind === 'message_rejected' ? told.action : null;
  };

  test.each(anyMissing)('for a minute, %s, goes out then, and nobody has to do anything', (_by, failure) => {
    const world = anEndedJob({ prLink: link });
    world.reply('one more thing');
    sendInVain(world, failure, MINUTE_MS);
    expect(world.states).toEqual([world.open('send_message').length > 0 ? 'sending' : 'waiting']);
    world.advance(2 * MINUTE_MS);
    world.accepted(anAgentJob());
    expect(world.states).toEqual(['sent']);
    expect(offer(world)).toBeNull();
  });

  test('in the API’s own words for minutes: it is announced, and no second job is offered', () => {
    const world = anEndedJob({ prLink: link });
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.reply('one more thing');
    sendInVain(world, failures.notFound, 6 * MINUTE_MS);
    expect(world.states).toEqual(['not_sent']);
    expect(offer(world)).toBe('send_again');
  });

  test.each(anyMissing)('for an hour, %s: another job is offered', (_by, failure) => {
    const world = aWorkingJob();
    world.answer = failure;
    world.advance(2 * HOUR_MS);
    world.reply('one more thing');
    sendInVain(world, failure, 10 * SECOND_MS);
    expect(world.states).toEqual(['not_sent']);
    expect(offer(world)).toBe('start_again');
  });

  test('by a gateway, though the job can be read: the thread says that the reply waits', () => {
    const world = aWorkingJob();
    world.reply('one more thing');
    sendInVain(world, failures.noSuchPath, 10 * MINUTE_MS);
    expect(world.states).toEqual(['waiting']);
    expect(world.job.trouble).toMatchObject({ kind: 'unreachable', source: 'send', isAnnounced: true });
    expect(world.news.at(-1)).toMatch(/^unreachable/);
  });

  test('now and then in an outage of another kind: no second job is offered', () => {
    const world = anEndedJob({ prLink: link });
    world.reply('one more thing');
    for (const failure of [failures.noSuchPath, failures.unreachable, failures.noSuchPath]) {
      world.answer = failure;
      sendInVain(world, failure, failure === failures.unreachable ? 70 * MINUTE_MS : 10 * MINUTE_MS);
    }
    expect(world.states).not.toContain('not_sent');
  });

  test('days after another was refused so: nobody knows of the time between, and it waits', () => {
    const world = anEndedJob({ prLink: link });
    world.advance(30 * HOUR_MS);
    world.answer = failures.notFound;
    world.reply('one more thing');
    sendInVain(world, failures.notFound, 6 * MINUTE_MS);
    world.advance(100 * HOUR_MS);
    world.answer = failures.noSuchPath;
    world.reply('and another');
    sendInVain(world, failures.noSuchPath, 10 * MINUTE_MS);
    expect(world.states).toEqual(['not_sent', 'waiting']);
    expect(offer(world)).toBe('send_again');
  });

  test('by a gateway, for hours: it waits as long as the job was not called gone', () => {
    const world = anEndedJob({ prLink: link });
    world.answer = failures.noSuchPath;
    world.reply('one more thing');
    sendInVain(world, failures.noSuchPath, 50 * MINUTE_MS);
    expect(world.states.every((state) => state !== 'not_sent')).toBe(true);
    sendInVain(world, failures.noSuchPath, 20 * MINUTE_MS);
    expect(offer(world)).toBe('start_again');
  });
});
