import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { endsIn } from '../support/posted.ts';
import { anEndedJob, aVanishedJob, aWorkingJob } from '../support/stages.ts';
import { fails, follows, goesOut, heard, live, passes, type Step, says, shows } from '../support/story.ts';

const firstLink = 'https://example.com/pull/1';
const secondLink = 'https://example.com/pull/2';
const endsWith = (prLink: string, status = 'completed') => ({ status, prLink });
const aJobWithALink = () => anEndedJob({ prLink: firstLink });

describe('a follow-up to a finished job', () => {
  test('is a new turn, and the job is watched again; its receipt and the card say so, not the thread', () => {
    const world = live(anEndedJob(), follows());
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, turn: 2 });
    expect(heard(world, shows({}))).toEqual([]);
    expect(world.job.lastAnnounced).toEqual({ status: 'active', turn: 2 });
  });

  test('the old completed is not announced again while it lingers', () => {
    const world = aJobWithALink();
    expect(heard(world, follows(), passes(85 * SECOND_MS))).toEqual([]);
    expect(world.job.stage.kind).toBe('working');
  });

  const same = 'finished, same pull request';
  const changed = `finished, changed pull request ${secondLink}`;
  test.each<[string, Step[], string]>([
    [
      'the job was seen active and then completed',
      [passes(5 * SECOND_MS), shows({}), shows(endsWith(firstLink))],
      same,
    ],
    ['the link is another', [shows(endsWith(secondLink))], changed],
    ['the status is another', [shows(endsWith(firstLink, 'failed'))], 'failed'],
    ['the settle window has passed', [passes(2 * MINUTE_MS)], same],
  ])('is over when %s', (_, steps, news) => {
    const world = aJobWithALink();
    expect(heard(world, follows(), ...steps)).toEqual([news]);
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is not over for a status that the turn before has shown already', () => {
    const world = live(aJobWithALink(), shows(endsWith(firstLink, 'archived'), HOUR_MS));
    expect(world.news.at(-1)).toBe('archived');
    expect(heard(world, follows(), shows(endsWith(firstLink)), shows({}))).toEqual([]);
    expect(heard(world, shows(endsWith(firstLink)))).toEqual([same]);
  });

  test('is not over when only a status that nobody knows was seen since', () => {
    const steps = [follows(), shows(endsWith(firstLink, 'queued')), shows(endsWith(firstLink))];
    expect(heard(aJobWithALink(), ...steps)).toEqual([]);
  });

  test('several in a row, the old completed still is not believed', () => {
    const world = live(anEndedJob(), follows('one'), passes(30 * SECOND_MS), follows('two'));
    expect(heard(world, passes(80 * SECOND_MS))).toEqual([]);
    expect(world.job.turn).toBe(3);
    expect(heard(world, shows({ status: 'failed' }))).toEqual(['failed']);
  });

  test('several in a row: if the answer to one shows the end of the one before, that is not its own end', () => {
    const world = live(aJobWithALink(), follows('one'), says('two'), goesOut, shows(endsWith(secondLink), 0));
    world.accepted(anAgentJob(endsWith(secondLink)));
    live(world, passes(5 * SECOND_MS), shows({}), shows(endsWith(secondLink)));
    expect(endsIn(world).slice(-2)).toEqual([
      `🎉 <@U1> <@U2> *Another pull request:* <${secondLink}|example.com/pull/2>`,
      `✅ <@U2> *Updated:* <${secondLink}|example.com/pull/2> · 2 replies included`,
    ]);
  });

  test.each([
    ['the answer to the message shows on the card', {}, 'agent/branch'],
    ['an answer about another job does not', { id: 'agent-9' }, 'main'],
  ])('%s', (_, job, ref) => {
    const world = live(anEndedJob(), says('On a branch, please'), goesOut);
    world.accepted(anAgentJob({ ref: 'agent/branch', ...job }));
    expect(world.job.agentJob).toMatchObject({ id: 'agent-1', ref });
  });
});

describe('a follow-up to an active job', () => {
  test('whose end was already under way is not lost', () => {
    const world = aWorkingJob();
    const first = `finished, first pull request ${firstLink}`;
    expect(heard(world, follows(), shows(endsWith(firstLink), 30 * SECOND_MS))).toEqual([first]);
    expect(world.job.stage.kind).toBe('working');
    const changed = `finished, changed pull request ${secondLink}`;
    const later = [shows({}, 10 * SECOND_MS), shows(endsWith(secondLink), 10 * SECOND_MS)];
    expect(heard(world, ...later).slice(-1)).toEqual([changed]);
  });

  test('whose end was the end of both: the pull request that was announced at once says it', () => {
    const world = live(aWorkingJob(), follows(), shows(endsWith(firstLink), 2 * MINUTE_MS));
    expect(world.job.stage.kind).toBe('ended');
    expect(world.news).toEqual(['started', `finished, first pull request ${firstLink}`]);
  });
});

test('a vanished job that takes a reply all the same is watched again', () => {
  const world = aVanishedJob();
  expect(heard(world, follows(), shows({}))).toEqual([]);
  expect(world.job).toMatchObject({ stage: { kind: 'working' }, turn: 2 });
});

describe('a follow-up whose turn began behind an ending', () => {
  const endedWithIt = () =>
    live(aWorkingJob(), follows(), passes(5 * SECOND_MS), shows(endsWith(firstLink), 10 * SECOND_MS));

  test('is watched again if the agent takes it up after the ending that was seen', () => {
    const world = endedWithIt();
    expect(world.job.stage.kind).toBe('ended');
    live(world, shows({}, 2 * MINUTE_MS));
    expect(world.job.stage.kind).toBe('working');
    live(world, shows(endsWith(secondLink), 2 * MINUTE_MS));
    expect(world.news.at(-1)).toBe(`finished, changed pull request ${secondLink}`);
  });

  test('is watched again, too, when the job had been archived meanwhile, and nobody had looked', () => {
    const world = live(aJobWithALink(), follows(), shows(endsWith(firstLink, 'archived'), 10 * SECOND_MS));
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'archived' });
    live(world, shows(endsWith(secondLink), 2 * MINUTE_MS));
    expect(world.news.at(-1)).toBe(`finished, changed pull request ${secondLink}`);
  });

  test('is not announced a second time if there is nothing new', () => {
    expect(heard(endedWithIt(), passes(10 * MINUTE_MS))).toEqual([]);
  });
});

describe('a follow-up of unknown fate', () => {
  const unknown = [says('one more thing'), goesOut, fails(failures.timeout)];

  test.each<[string, Step[], number]>([
    ['if the agent took it up, its pull request is announced', [], 2 * MINUTE_MS],
    ['a look that fails is made again', [shows(failures.serverError, 5 * MINUTE_MS)], 2 * MINUTE_MS],
    [
      'the agent may take it up an hour later, and is looked at until then',
      [shows(endsWith(firstLink), HOUR_MS)],
      2 * HOUR_MS,
    ],
  ])('to an ended job: %s', (_, steps, lookMs) => {
    const world = live(aJobWithALink(), ...unknown, ...steps, shows(endsWith(secondLink), lookMs));
    expect(world.news.at(-1)).toBe(`changed pull request ${secondLink}`);
  });
});
