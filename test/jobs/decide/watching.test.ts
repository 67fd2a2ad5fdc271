import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aWorkingJob, followUp } from '../support/stages.ts';

const link = 'https://example.com/pull/1';

describe('each change of status is announced once', () => {
  test('and an unchanged status not at all', () => {
    const world = aWorkingJob();
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(['started']);
  });

  test.each([
    ['completed', 'finished, no pull request'],
    ['failed', 'failed'],
    ['archived', 'archived'],
  ])('%s ends the watch', (status, news) => {
    const world = anEndedJob({ status });
    expect(world.news).toEqual(['started', news]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status });
    expect(world.tasks.has('check_job')).toBe(false);

    expect(world.check(world.answer).calls).toEqual([]);
    expect(world.check(failures.notFound).calls).toEqual([]);
  });

  test('a link that comes a moment after the end is announced', () => {
    const world = anEndedJob({ status: 'completed' });
    world.answer = anAgentJob({ status: 'completed', prLink: 'https://example.com/pull/1' });
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe('first pull request https://example.com/pull/1');
  });

  test('an unknown status stands on the card, is no message, and polling goes on', () => {
    const world = aWorkingJob();
    world.answer = anAgentJob({ status: 'napping' });
    world.advance(MINUTE_MS);
    expect(world.job.agentJob?.status).toBe('napping');
    expect(world.tasks.has('check_job')).toBe(true);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started']);
  });

  test('the first sign of life comes after any unknown status', () => {
    const world = aJobBeingCreated();
    world.created({ status: 'queued' });
    world.answer = anAgentJob({ status: 'cloning' });
    world.advance(MINUTE_MS);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started']);
  });

  test('an unknown status between an end and more work does not hide that somebody continued the job', () => {
    const world = anEndedJob();
    const before = world.news;
    world.answer = anAgentJob({ status: 'napping' });
    world.advance(HOUR_MS);
    world.answer = anAgentJob();
    world.advance(MINUTE_MS);
    expect(world.news).toEqual([...before, 'continued']);
  });

  test('an answer about another job is none', () => {
    const world = aWorkingJob();
    const other = anAgentJob({ id: 'agent-9', status: 'failed' });
    expect(world.apply({ type: 'job_checked', agentJob: other }).calls).toEqual([]);
  });
});

describe('the card', () => {
  test('is refreshed at once when a fact has changed', () => {
    const world = aWorkingJob();
    world.tasks.delete('refresh_card');
    world.answer = anAgentJob({ ref: 'agent/branch' });
    world.advance(5 * SECOND_MS);
    expect(world.seconds(world.tasks.get('refresh_card'))).toBe(5);
  });

  test('is not refreshed while nothing has changed', () => {
    const world = aWorkingJob();
    world.tasks.delete('refresh_card');
    world.advance(HOUR_MS);
    expect(world.tasks.has('refresh_card')).toBe(false);
    expect(world.seconds(world.job.checkedAtMs)).toBeGreaterThan(3_500);
  });
});

describe('the pull request', () => {
  test('is a message of its own when the job has finished', () => {
    const world = anEndedJob({ prLink: link });
    expect(world.news).toEqual(['started', `finished, first pull request ${link}`]);
  });

  test('is announced at the end if it shows while the agent works', () => {
    const world = aWorkingJob();
    world.answer = anAgentJob({ prLink: link });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started']);
    expect(world.job.agentJob?.prLink).toBe(link);
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.advance(MINUTE_MS);
    expect(world.news.slice(1)).toEqual([`finished, first pull request ${link}`]);
  });

  test('is announced at the end if it showed before a follow-up only', () => {
    const world = aWorkingJob();
    world.answer = anAgentJob({ prLink: link });
    world.advance(5 * SECOND_MS);
    followUp(world);
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.advance(2 * MINUTE_MS);
    expect(world.news.slice(1)).toEqual([`finished, first pull request ${link}`]);
  });

  test.each(['failed', 'archived'])('is announced when the job ends as %s', (status) => {
    const world = anEndedJob({ status, prLink: link });
    expect(world.news).toContain(`${status}, first pull request ${link}`);
  });

  test('is announced once over several turns, and again when it changes, also back', () => {
    const world = anEndedJob({ prLink: link });
    for (const prLink of [link, `${link}0`, link]) {
      followUp(world);
      world.answer = anAgentJob();
      world.advance(10 * SECOND_MS);
      world.answer = anAgentJob({ status: 'completed', prLink });
      world.advance(10 * SECOND_MS);
    }
    expect(world.news.filter((line) => line.includes('pull request http'))).toEqual([
      `finished, first pull request ${link}`,
      `finished, changed pull request ${link}0`,
      `finished, changed pull request ${link}`,
    ]);
  });

  test('that changes back within one turn is not announced once more', () => {
    const world = aWorkingJob();
    followUp(world);
    for (const prLink of [link, `${link}0`, link]) {
      world.answer = anAgentJob({ status: 'completed', prLink });
      world.advance(6 * SECOND_MS);
    }
    expect(world.news.at(-1)).toBe(`changed pull request ${link}0`);
    expect(world.repeatedKeys).toEqual([]);
  });

  test('is announced even when it is no URL', () => {
    expect(anEndedJob({ prLink: 'PR 7, see the dashboard' }).news.at(-1)).toBe(
      'finished, first pull request PR 7, see the dashboard',
    );
  });

  test('that goes away is not announced, nor again when it comes back', () => {
    const world = anEndedJob({ prLink: link });
    followUp(world);
    world.answer = anAgentJob({ status: 'completed' });
    world.advance(10 * SECOND_MS);
    expect(world.news.at(-1)).toBe('finished, no pull request');
  });
});

describe('a notice', () => {
  const notices = (world: ReturnType<typeof anEndedJob>) =>
    world.transcript.filter((line) => line.includes('notice'));

  test('goes to every notice channel, once per link', () => {
    const world = anEndedJob({ prLink: link }, { noticeChannels: ['C-NEWS', 'C-DOCS'] });
    followUp(world);
    world.answer = anAgentJob({ status: 'completed', prLink: link });
    world.advance(5 * MINUTE_MS);
    expect(notices(world)).toEqual([`5 s notice in C-NEWS: ${link}`, `5 s notice in C-DOCS: ${link}`]);
  });

  test('is posted in a lane of its own, so that no channel waits for another', () => {
    const world = anEndedJob({ prLink: link }, { noticeChannels: ['C-NEWS', 'C-DOCS'] });
    const lanes = world.calls.filter(({ request }) => request.kind === 'notify_channel').map((c) => c.lane);
    expect(new Set(lanes.map(({ name }) => name)).size).toBe(2);
  });

  test('that a channel refuses is announced once in the thread', () => {
    const world = anEndedJob({ prLink: link });
    world.apply({ type: 'notice_refused', channelId: 'C-NEWS', reason: 'not_in_channel' });
    world.apply({ type: 'notice_refused', channelId: 'C-NEWS', reason: 'is_archived' });
    expect(notices(world).slice(1)).toEqual(['5 s thread: notice failed in C-NEWS: not_in_channel']);
  });

  test('is not posted where there are no notice channels', () => {
    expect(notices(anEndedJob({ prLink: link }, { noticeChannels: [] }))).toEqual([]);
  });
});

describe('a job that the API does not know', () => {
  test('has vanished, is announced once, and is not watched any more', () => {
    const world = aWorkingJob();
    world.advance(5 * SECOND_MS);
    world.answer = failures.notFound;
    world.advance(2 * HOUR_MS);
    expect(world.news.filter((line) => line === 'vanished')).toHaveLength(1);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'vanished' });
  });

  test('is not believed right after its creation', () => {
    const world = aWorkingJob();
    world.answer = failures.notFound;
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started']);
    world.answer = anAgentJob({ status: 'completed' });
    world.advance(MINUTE_MS);
    expect(world.news.at(-1)).toBe('finished, no pull request');
  });

  test('for a moment only, goes on, and its end is announced', () => {
    const world = aWorkingJob();
    world.advance(10 * MINUTE_MS);
    world.check(failures.notFound);
    world.answer = anAgentJob({ status: 'failed' });
    world.advance(MINUTE_MS);
    expect(world.news).toEqual(['started', 'failed']);
  });
});
