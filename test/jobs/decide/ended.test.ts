import { describe, expect, test } from 'vitest';
import { ENDED_CHECKS_MS } from '../../../src/jobs/schedule/schedule.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aWorkingJob, followUp } from '../support/stages.ts';
import type { World } from '../support/world.ts';

const firstLink = 'https://example.com/pull/1';
const secondLink = 'https://example.com/pull/2';

/** What is posted in the thread from now on. */
function fromNow(world: World): () => string[] {
  const before = world.news.length;
  return () => world.news.slice(before);
}

describe('a reply that the agent takes up late', () => {
  test('after the settle window: its pull request is announced once, and nothing is said of working again', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.advance(120 * SECOND_MS);
    const news = fromNow(world);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.job.stage.kind).toBe('working');
    expect(world.job.agentJob?.status).toBe('active');
    expect(news()).toEqual([]);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(HOUR_MS);
    expect(news()).toEqual([`finished, changed pull request ${secondLink}`]);
  });

  test('an hour later, between two looks: its pull request is announced', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.advance(HOUR_MS);
    const news = fromNow(world);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(HOUR_MS);
    expect(news()).toEqual([`changed pull request ${secondLink}`]);
  });

  test('and that ends with the same pull request: its end is announced', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.advance(3 * MINUTE_MS);
    const news = fromNow(world);
    world.answer = anAgentJob();
    world.advance(3 * MINUTE_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(HOUR_MS);
    expect(news()).toEqual(['finished, same pull request']);
  });

  test('each of two that waited for the turn before explains that the agent works again', () => {
    const world = aWorkingJob();
    followUp(world, 'one');
    followUp(world, 'two');
    for (const prLink of [firstLink, secondLink, `${secondLink}0`]) {
      world.answer = anAgentJob();
      world.advance(5 * MINUTE_MS);
      world.answer = anAgentJob({ status: 'completed', prLink });
      world.advance(5 * MINUTE_MS);
    }
    expect(world.news).not.toContain('continued');
    expect(world.news.filter((line) => line.includes('pull request http'))).toHaveLength(3);
  });

  test('of unknown fate: nothing is said of somebody else', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    const news = fromNow(world);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.job.stage.kind).toBe('working');
    expect(news()).toEqual([]);
  });

  test('of unknown fate, and about to be sent again: nothing is said of somebody else', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    world.check(anAgentJob());
    world.check(anAgentJob());
    expect(world.states).toEqual(['waiting']);
    expect(world.news).not.toContain('continued');
    expect(world.job.stage.kind).toBe('working');
  });

  test.each([
    ['a finished job', () => anEndedJob({ prLink: firstLink })],
    ['a job at work', aWorkingJob],
  ])('of unknown fate to %s, and sent again: each of the two may be a turn', (_, start) => {
    const world = start();
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    world.advance(4 * SECOND_MS);
    world.accepted();
    world.check(anAgentJob({ status: 'completed', prLink: firstLink }));
    for (const nth of [2, 3]) {
      for (const _again of [1, 2]) world.check(anAgentJob());
      world.check(anAgentJob({ status: 'completed', prLink: `https://example.com/pull/${nth}` }));
    }
    expect(world.job.stage.kind).toBe('ended');
    expect(world.news).not.toContain('continued');
  });

  test('that has ended before the answer to its message came: each pull request is announced once', () => {
    const world = anEndedJob({ prLink: firstLink });
    const before = anAgentJob({ status: 'completed', prLink: firstLink });
    const news = fromNow(world);
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.check();
    // Written by the service when it took the message.
    world.accepted(before);
    world.advance(HOUR_MS);
    expect(news()).toEqual([`changed pull request ${secondLink}`]);
  });

  test('while an older read is late: what that one saw is no end of the new turn', () => {
    const world = anEndedJob({ prLink: firstLink });
    const { job: before } = world;
    const completed = anAgentJob({ status: 'completed', prLink: firstLink, id: before.agentJob?.id ?? '' });
    const news = fromNow(world);
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.accepted(completed);
    world.answer = anAgentJob();
    world.check();
    world.apply({ type: 'job_checked', agentJob: completed, before });
    world.check();
    world.check();
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(HOUR_MS);
    expect(news()).toEqual(['finished, same pull request']);
  });

  test('whose message is still on its way when the job is seen active: nothing is said of somebody else', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    world.accepted();
    world.advance(MINUTE_MS);
    expect(world.news).not.toContain('continued');
    expect(world.job.stage.kind).toBe('working');
  });
});

describe('a pull request that comes late', () => {
  test.each([1, 10, 60, 20 * 60])('%i minutes after “done” is announced, and nothing else', (minutes) => {
    const world = anEndedJob({ status: 'completed' });
    world.advance(minutes * MINUTE_MS);
    const news = fromNow(world);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(minutes * MINUTE_MS);
    expect(news()).toEqual([`first pull request ${firstLink}`]);
    world.advance(ENDED_CHECKS_MS);
    expect(news()).toHaveLength(1);
  });

  test('is announced after half the time again at the latest', () => {
    const world = anEndedJob({ status: 'completed' });
    world.advance(10 * MINUTE_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(6 * MINUTE_MS);
    expect(world.news.at(-1)).toBe(`first pull request ${firstLink}`);
  });

  test('just before a reply that makes it invisible is announced', () => {
    const world = anEndedJob({ status: 'completed' });
    world.advance(2 * HOUR_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    followUp(world);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(MINUTE_MS);
    expect(world.news.filter((line) => line.includes('pull request http'))).toEqual([
      `first pull request ${firstLink}`,
      `finished, changed pull request ${secondLink}`,
    ]);
  });

  test('and is only in the answer to a reply is announced', () => {
    const world = anEndedJob({ status: 'completed' });
    world.reply('Shorter, please');
    world.advance(4 * SECOND_MS);
    world.accepted(anAgentJob({ status: 'completed', prLink: firstLink }));
    expect(world.news.at(-1)).toBe(`first pull request ${firstLink}`);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(30 * SECOND_MS);
    expect(world.job.stage.kind).toBe('working');
  });

  test('has its notice', () => {
    const world = anEndedJob({ status: 'completed' });
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(MINUTE_MS);
    expect(world.calls.filter(({ request }) => request.kind === 'notify_channel')).toHaveLength(1);
  });
});

describe('a job that somebody continues outside of Slack', () => {
  test.each([
    ['completed', 'completed'],
    ['failed', 'completed'],
    ['archived', 'failed'],
  ])('after it %s: that is announced once, and then how it %s', (status, next) => {
    const world = anEndedJob({ status });
    world.advance(HOUR_MS);
    const news = fromNow(world);
    world.answer = anAgentJob();
    world.advance(HOUR_MS);
    expect(news()).toEqual(['continued']);
    world.answer = anAgentJob({ status: next, prLink: firstLink });
    world.advance(HOUR_MS);
    const end = next === 'completed' ? 'finished' : next;
    expect(news()).toEqual(['continued', `${end}, first pull request ${firstLink}`]);
  });

  test('is no news by one answer that is out of date', () => {
    const world = anEndedJob({ prLink: firstLink });
    const before = world.news;
    for (let look = 0; look < 10; look += 1) {
      world.check(anAgentJob());
      world.check(anAgentJob({ status: 'completed', prLink: firstLink }));
    }
    expect(world.news).toEqual(before);
  });

  test('a reply to it is a turn of its own, of which the thread hears nothing but the end', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.answer = anAgentJob();
    world.advance(HOUR_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(HOUR_MS);
    const before = world.news;
    followUp(world);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(before);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual([...before, 'finished, same pull request']);
  });
});

describe('an ended job', () => {
  test.each([
    ['completed', 'archived', ['archived']],
    ['failed', 'completed', ['finished, no pull request']],
  ])('%s that turns out %s: that is announced once', (status, later, told) => {
    const world = anEndedJob({ status });
    const news = fromNow(world);
    world.answer = anAgentJob({ status: later });
    world.advance(ENDED_CHECKS_MS);
    expect(news()).toEqual(told);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: later });
  });

  test('that the API forgets is left as it ended', () => {
    const world = anEndedJob({ prLink: firstLink });
    const news = fromNow(world);
    world.answer = failures.notFound;
    world.advance(ENDED_CHECKS_MS);
    expect(news()).toEqual([]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'completed' });
  });

  test('that cannot be read for hours is looked at until it can', () => {
    const world = anEndedJob({ status: 'completed' });
    world.answer = failures.serverError;
    world.advance(16 * HOUR_MS);
    const news = fromNow(world);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(HOUR_MS);
    expect(news()).toEqual([`first pull request ${firstLink}`]);
  });

  test('is not looked at for ever, whether it can be read or not', () => {
    for (const answer of [anAgentJob({ status: 'completed' }), failures.serverError]) {
      const world = anEndedJob({ status: 'completed' });
      world.answer = answer;
      world.advance(3 * ENDED_CHECKS_MS);
      expect(world.tasks.has('check_ended_job')).toBe(false);
    }
  });

  test('that ended by a clock that was a day ahead costs no more', () => {
    const world = aWorkingJob();
    world.nowMs += 24 * HOUR_MS;
    world.check(anAgentJob({ status: 'completed', prLink: firstLink }));
    world.nowMs -= 24 * HOUR_MS;
    world.tasks.set('check_ended_job', world.nowMs);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    const { length } = world.events;
    world.advance(24 * HOUR_MS);
    expect(world.events.length - length).toBeLessThanOrEqual(40);
  });

  test('costs no more than 40 reads in a day', () => {
    const world = anEndedJob({ status: 'completed' });
    const before = world.events.length;
    world.advance(2 * ENDED_CHECKS_MS);
    const reads = world.events.length - before;
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThanOrEqual(40);
  });
});
