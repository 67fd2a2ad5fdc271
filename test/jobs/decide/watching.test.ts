import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aWorkingJob } from '../support/stages.ts';
import { checked, follows, happens, heard, live, passes, shows } from '../support/story.ts';

const link = 'https://example.com/pull/1';
const completed = (prLink: string | null = link) => ({ status: 'completed', prLink });

describe('each change of status is announced once', () => {
  test('and an unchanged status not at all', () => {
    expect(live(aWorkingJob(), passes(10 * MINUTE_MS)).news).toEqual(['started']);
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
    for (const answer of [world.answer, failures.notFound]) expect(world.check(answer).calls).toEqual([]);
  });

  test('an unknown status stands on the card, is no message, and polling goes on', () => {
    const world = live(aWorkingJob(), shows({ status: 'napping' }, MINUTE_MS));
    expect(world.job.agentJob?.status).toBe('napping');
    expect(world.tasks.has('check_job')).toBe(true);
    expect(live(world, shows({}, MINUTE_MS)).news).toEqual(['started']);
  });

  test('the first sign of life comes after any unknown status', () => {
    const world = aJobBeingCreated();
    world.created({ status: 'queued' });
    live(world, shows({ status: 'cloning' }, MINUTE_MS), shows({}, MINUTE_MS));
    expect(world.news).toEqual(['started']);
  });

  test('an unknown status between an end and more work does not hide that somebody continued the job', () => {
    const told = heard(anEndedJob(), shows({ status: 'napping' }, HOUR_MS), shows({}, MINUTE_MS));
    expect(told).toEqual(['continued']);
  });

  test('an answer about another job is none', () => {
    const other = anAgentJob({ id: 'agent-9', status: 'failed' });
    expect(aWorkingJob().apply({ type: 'job_checked', agentJob: other }).calls).toEqual([]);
  });
});

describe('the card', () => {
  test('is refreshed at once when a fact has changed, and not while nothing has', () => {
    const world = aWorkingJob();
    world.tasks.delete('refresh_card');
    live(world, passes(HOUR_MS));
    expect(world.tasks.has('refresh_card')).toBe(false);
    expect(world.seconds(world.job.checkedAtMs)).toBeGreaterThan(3_500);
    live(world, checked({ ref: 'agent/branch' }));
    expect(world.tasks.get('refresh_card')).toBe(world.nowMs);
  });
});

describe('the pull request', () => {
  test('is announced at the end if it shows while the agent works', () => {
    const world = live(aWorkingJob(), shows({ prLink: link }, MINUTE_MS));
    expect(world.news).toEqual(['started']);
    expect(world.job.agentJob?.prLink).toBe(link);
    const told = heard(world, shows(completed(), MINUTE_MS));
    expect(told).toEqual([`finished, first pull request ${link}`]);
  });

  test('is announced at the end if it showed before a follow-up only', () => {
    const steps = [shows({ prLink: link }), follows(), passes(5 * SECOND_MS)];
    const told = heard(aWorkingJob(), ...steps, shows(completed(), 2 * MINUTE_MS));
    expect(told).toEqual([`finished, first pull request ${link}`]);
  });

  test('is announced once over several turns, and again when it changes, also back', () => {
    const world = anEndedJob({ prLink: link });
    for (const prLink of [link, `${link}0`, link])
      live(world, follows(), shows({}, 10 * SECOND_MS), shows(completed(prLink), 10 * SECOND_MS));
    expect(world.news.filter((line) => line.includes('pull request http'))).toEqual([
      `finished, first pull request ${link}`,
      `finished, changed pull request ${link}0`,
      `finished, changed pull request ${link}`,
    ]);
  });

  test('that changes back within one turn is not announced once more', () => {
    const world = live(aWorkingJob(), follows());
    for (const prLink of [link, `${link}0`, link]) live(world, shows(completed(prLink), 6 * SECOND_MS));
    expect(world.news.at(-1)).toBe(`changed pull request ${link}0`);
    expect(world.repeatedKeys).toEqual([]);
  });

  test('is announced even when it is no URL', () => {
    const prLink = 'PR 7, see the dashboard';
    expect(anEndedJob({ prLink }).news.at(-1)).toBe(`finished, first pull request ${prLink}`);
  });

  test('that goes away is not announced, nor again when it comes back', () => {
    const told = heard(anEndedJob({ prLink: link }), follows(), shows(completed(null), 10 * SECOND_MS));
    expect(told).toEqual(['finished, no pull request']);
  });
});

describe('a notice', () => {
  const notices = ({ calls }: ReturnType<typeof anEndedJob>) =>
    calls.flatMap(({ request, lane }) =>
      request.kind === 'notify_channel' ? [[request.channelId, request.url, lane.name]] : [],
    );

  test('goes to every notice channel, once per link, each in a lane of its own, so that none waits for another', () => {
    const world = anEndedJob({ prLink: link }, { noticeChannels: ['C-NEWS', 'C-DOCS'] });
    live(world, follows(), shows(completed(), 5 * MINUTE_MS));
    expect(notices(world)).toEqual([
      ['C-NEWS', link, expect.stringContaining('C-NEWS')],
      ['C-DOCS', link, expect.stringContaining('C-DOCS')],
    ]);
  });

  test('that a channel refuses is announced once in the thread', () => {
    const refused = (reason: string) => happens({ type: 'notice_refused', channelId: 'C-NEWS', reason });
    const told = heard(anEndedJob({ prLink: link }), refused('not_in_channel'), refused('is_archived'));
    expect(told).toEqual(['notice failed in C-NEWS: not_in_channel']);
  });
});
