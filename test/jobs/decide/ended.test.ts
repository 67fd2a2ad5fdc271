import { describe, expect, test } from 'vitest';
import { ENDED_CHECKS_MS } from '../../../src/jobs/schedule/schedule.ts';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { anEndedJob, aWorkingJob } from '../support/stages.ts';
import {
  accepts,
  checked,
  fails,
  follows,
  goesOut,
  happens,
  heard,
  live,
  passes,
  resends,
  type Step,
  says,
  shows,
} from '../support/story.ts';

const firstLink = 'https://example.com/pull/1';
const secondLink = 'https://example.com/pull/2';
const endsWith = (prLink: string | null, status = 'completed') => ({ status, prLink });
const aJobWithALink = () => anEndedJob({ prLink: firstLink });
const sendsOneMore: readonly Step[] = [says('one more thing'), goesOut];

describe('a reply that the agent takes up late', () => {
  test('after the settle window: its pull request is announced once, and nothing is said of working again', () => {
    const world = live(aJobWithALink(), follows(), passes(2 * MINUTE_MS));
    expect(heard(world, shows({}, MINUTE_MS))).toEqual([]);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, agentJob: { status: 'active' } });
    const changed = `finished, changed pull request ${secondLink}`;
    expect(heard(world, shows(endsWith(secondLink), HOUR_MS))).toEqual([changed]);
  });

  test('an hour later, between two looks: its pull request is announced', () => {
    const world = live(aJobWithALink(), follows(), passes(HOUR_MS));
    const changed = `changed pull request ${secondLink}`;
    expect(heard(world, shows(endsWith(secondLink), HOUR_MS))).toEqual([changed]);
  });

  test('and that ends with the same pull request: its end is announced', () => {
    const world = live(aJobWithALink(), follows(), passes(3 * MINUTE_MS));
    const later = [shows({}, 3 * MINUTE_MS), shows(endsWith(firstLink), HOUR_MS)];
    expect(heard(world, ...later)).toEqual(['finished, same pull request']);
  });

  test('each of two that waited for the turn before explains that the agent works again', () => {
    const world = live(aWorkingJob(), follows('one'), follows('two'));
    for (const prLink of [firstLink, secondLink, `${secondLink}0`])
      live(world, shows({}, 5 * MINUTE_MS), shows(endsWith(prLink), 5 * MINUTE_MS));
    expect(world.news).not.toContain('continued');
    expect(world.news.filter((line) => line.includes('pull request http'))).toHaveLength(3);
  });

  test('of unknown fate, also when about to be sent again: nothing is said of somebody else', () => {
    const unknown = live(aJobWithALink(), ...sendsOneMore, fails(failures.timeout));
    expect(heard(unknown, shows({}, MINUTE_MS))).toEqual([]);
    const again = live(aJobWithALink(), ...sendsOneMore, fails(failures.timeout), resends);
    live(again, checked({}), checked({}));
    expect(again.states).toEqual(['waiting']);
    expect(again.news).not.toContain('continued');
    for (const { job } of [unknown, again]) expect(job.stage.kind).toBe('working');
  });

  test.each([
    ['a finished job', aJobWithALink],
    ['a job at work', aWorkingJob],
  ])('of unknown fate to %s, and sent again: each of the two may be a turn', (_, start) => {
    const world = live(start(), ...sendsOneMore, fails(failures.timeout), resends, goesOut, accepts);
    live(world, checked(endsWith(firstLink)));
    for (const nth of [2, 3])
      live(world, checked({}), checked({}), checked(endsWith(`https://example.com/pull/${nth}`)));
    expect(world.job.stage.kind).toBe('ended');
    expect(world.news).not.toContain('continued');
  });

  test('that has ended before the answer to its message came: each pull request is announced once', () => {
    const world = aJobWithALink();
    // Written by the service when it took the message.
    const accepted: Step = () => world.accepted(anAgentJob(endsWith(firstLink)));
    const told = heard(world, ...sendsOneMore, checked(endsWith(secondLink)), accepted);
    told.push(...heard(world, shows(endsWith(secondLink), HOUR_MS)));
    expect(told).toEqual([`changed pull request ${secondLink}`]);
  });

  test('while an older read is late: what that one saw is no end of the new turn', () => {
    const world = aJobWithALink();
    const { job: before } = world;
    const completed = anAgentJob({ ...endsWith(firstLink), id: before.agentJob?.id ?? '' });
    const late = happens({ type: 'job_checked', agentJob: completed, before });
    const told = heard(
      world,
      ...sendsOneMore,
      () => world.accepted(completed),
      checked({}),
      late,
      checked({}),
      checked({}),
      shows(endsWith(firstLink), HOUR_MS),
    );
    expect(told).toEqual(['finished, same pull request']);
  });

  test('whose message is still on its way when the job is seen active: nothing is said of somebody else', () => {
    const world = live(aJobWithALink(), ...sendsOneMore, shows({}, MINUTE_MS), accepts, passes(MINUTE_MS));
    expect(world.news).not.toContain('continued');
    expect(world.job.stage.kind).toBe('working');
  });
});

describe('a pull request that comes late', () => {
  test.each([1, 10, 60, 20 * 60])('%i minutes after “done” is announced, and nothing else', (minutes) => {
    const world = live(anEndedJob(), passes(minutes * MINUTE_MS));
    const told = heard(world, shows(endsWith(firstLink), minutes * MINUTE_MS));
    expect(told).toEqual([`first pull request ${firstLink}`]);
    expect(heard(world, passes(ENDED_CHECKS_MS))).toEqual([]);
  });

  test('just before a reply that makes it invisible is announced', () => {
    const world = live(anEndedJob(), passes(2 * HOUR_MS), shows(endsWith(firstLink), 0), follows());
    live(world, shows({}, MINUTE_MS), shows(endsWith(secondLink), MINUTE_MS));
    expect(world.news.filter((line) => line.includes('pull request http'))).toEqual([
      `first pull request ${firstLink}`,
      `finished, changed pull request ${secondLink}`,
    ]);
  });

  test('and is only in the answer to a reply is announced', () => {
    const world = live(anEndedJob(), says('Shorter, please'), goesOut);
    world.accepted(anAgentJob(endsWith(firstLink)));
    expect(world.news.at(-1)).toBe(`first pull request ${firstLink}`);
    live(world, shows(endsWith(firstLink), 30 * SECOND_MS));
    expect(world.job.stage.kind).toBe('working');
  });

  test('has its notice', () => {
    const world = live(anEndedJob(), shows(endsWith(firstLink), MINUTE_MS));
    expect(world.calls.filter(({ request }) => request.kind === 'notify_channel')).toHaveLength(1);
  });
});

describe('a job that somebody continues outside of Slack', () => {
  test.each([
    ['completed', 'completed', 'finished'],
    ['failed', 'completed', 'finished'],
    ['archived', 'failed', 'failed'],
  ])('after it %s: that is announced once, and then how it %s', (status, next, end) => {
    const world = live(anEndedJob({ status }), passes(HOUR_MS));
    expect(heard(world, shows({}, HOUR_MS))).toEqual(['continued']);
    const told = heard(world, shows(endsWith(firstLink, next), HOUR_MS));
    expect(told).toEqual([`${end}, first pull request ${firstLink}`]);
  });

  test('is no news by one answer that is out of date', () => {
    const looks = Array.from({ length: 10 }).flatMap(() => [checked({}), checked(endsWith(firstLink))]);
    expect(heard(aJobWithALink(), ...looks)).toEqual([]);
  });

  test('a reply to it is a turn of its own, of which the thread hears nothing but the end', () => {
    const world = live(aJobWithALink(), shows({}, HOUR_MS), shows(endsWith(firstLink), HOUR_MS));
    expect(heard(world, follows(), shows({}, MINUTE_MS))).toEqual([]);
    expect(heard(world, shows(endsWith(firstLink), MINUTE_MS))).toEqual(['finished, same pull request']);
  });
});

describe('an ended job', () => {
  test.each([
    ['completed', 'archived', 'archived'],
    ['failed', 'completed', 'finished, no pull request'],
  ])('%s that turns out %s: that is announced once', (status, later, told) => {
    const world = anEndedJob({ status });
    expect(heard(world, shows({ status: later }, ENDED_CHECKS_MS))).toEqual([told]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: later });
  });

  test('that the API forgets is left as it ended', () => {
    const world = aJobWithALink();
    expect(heard(world, shows(failures.notFound, ENDED_CHECKS_MS))).toEqual([]);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'completed' });
  });

  test('that cannot be read for hours is looked at until it can', () => {
    const world = live(anEndedJob(), shows(failures.serverError, 16 * HOUR_MS));
    const told = heard(world, shows(endsWith(firstLink), HOUR_MS));
    expect(told).toEqual([`first pull request ${firstLink}`]);
  });

  test.each([
    ['can be read', endsWith(null)],
    ['cannot', failures.serverError],
  ])('is not looked at for ever, if it %s', (_, answer) => {
    const world = live(anEndedJob(), shows(answer, 3 * ENDED_CHECKS_MS));
    expect(world.tasks.has('check_ended_job')).toBe(false);
  });
});
