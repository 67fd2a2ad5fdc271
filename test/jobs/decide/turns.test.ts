import { describe, expect, test } from 'vitest';
import { anAgentJob, failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { endsIn } from '../support/posted.ts';
import { anEndedJob, aVanishedJob, aWorkingJob, followUp } from '../support/stages.ts';

const firstLink = 'https://example.com/pull/1';
const secondLink = 'https://example.com/pull/2';

describe('a follow-up to a finished job', () => {
  test('is a new turn, and the job is watched again; its receipt and the card say so, not the thread', () => {
    const world = anEndedJob();
    followUp(world);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, turn: 2 });
    const before = world.news;
    world.answer = anAgentJob();
    world.advance(5 * SECOND_MS);
    expect(world.news).toEqual(before);
    expect(world.job.lastAnnounced).toEqual({ status: 'active', turn: 2 });
  });

  test('the old completed is not announced again while it lingers', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    const before = world.news;
    world.advance(85 * SECOND_MS);
    expect(world.news).toEqual(before);
    expect(world.job.stage.kind).toBe('working');
  });

  test('is over when the job was seen active and then completed', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob();
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(5 * SECOND_MS);
    expect(world.news).toEqual([
      'started',
      `finished, first pull request ${firstLink}`,
      'finished, same pull request',
    ]);
  });

  test('is over when the link is another', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(5 * SECOND_MS);
    expect(world.news.slice(-1)).toEqual([`finished, changed pull request ${secondLink}`]);
    expect(world.job.stage.kind).toBe('ended');
  });

  test('is not over for a status that the turn before has shown already', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.answer = anAgentJob({ status: 'archived', prLink: firstLink });
    world.advance(HOUR_MS);
    expect(world.news.at(-1)).toBe('archived');
    followUp(world);
    const before = world.news;
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(5 * SECOND_MS);
    expect(world.news).toEqual(before);
    world.answer = anAgentJob();
    world.advance(5 * SECOND_MS);
    expect(world.news).toEqual(before);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(5 * SECOND_MS);
    expect(world.news.slice(before.length)).toEqual(['finished, same pull request']);
  });

  test('is not over when only a status that nobody knows was seen since', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    const before = world.news;
    for (const status of ['queued', 'completed']) {
      world.answer = anAgentJob({ status, prLink: firstLink });
      world.advance(5 * SECOND_MS);
    }
    expect(world.news).toEqual(before);
  });

  test('is over when the status is another', () => {
    const world = anEndedJob();
    followUp(world);
    world.answer = anAgentJob({ status: 'failed' });
    world.advance(5 * SECOND_MS);
    expect(world.news.at(-1)).toBe('failed');
  });

  test('is over when the settle window has passed', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe('finished, same pull request');
  });

  test('several in a row, the old completed still is not believed', () => {
    const world = anEndedJob();
    followUp(world, 'one');
    world.advance(30 * SECOND_MS);
    followUp(world, 'two');
    const before = world.news;
    world.advance(80 * SECOND_MS);
    expect(world.news).toEqual(before);
    expect(world.job.turn).toBe(3);
    world.answer = anAgentJob({ status: 'failed' });
    world.advance(5 * SECOND_MS);
    expect(world.news.at(-1)).toBe('failed');
  });

  test('several in a row: if the answer to one shows the end of the one before, that is not its own end', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world, 'one');
    world.reply('two');
    world.advance(4 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.accepted(world.answer);
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob();
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(5 * SECOND_MS);
    expect(endsIn(world).slice(-2)).toEqual([
      `🎉 <@U1> <@U2> *Another pull request:* <${secondLink}|example.com/pull/2>`,
      `✅ <@U2> *Updated:* <${secondLink}|example.com/pull/2> · 2 replies included`,
    ]);
  });

  test('the answer to the message shows on the card', () => {
    const world = anEndedJob();
    world.reply('On a branch, please');
    world.advance(4 * SECOND_MS);
    world.accepted(anAgentJob({ ref: 'agent/branch' }));
    expect(world.job.agentJob?.ref).toBe('agent/branch');
  });

  test('an answer about another job does not', () => {
    const world = anEndedJob();
    world.reply('On a branch, please');
    world.advance(4 * SECOND_MS);
    world.accepted(anAgentJob({ id: 'agent-9', ref: 'agent/branch' }));
    expect(world.job.agentJob).toMatchObject({ id: 'agent-1', ref: 'main' });
  });
});

describe('a follow-up to an active job', () => {
  test('whose end was already under way is not lost', () => {
    const world = aWorkingJob();
    followUp(world);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(30 * SECOND_MS);
    expect(world.job.stage.kind).toBe('working');
    expect(world.news.at(-1)).toBe(`finished, first pull request ${firstLink}`);

    world.answer = anAgentJob();
    world.advance(10 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(10 * SECOND_MS);
    expect(world.news.slice(-1)).toEqual([`finished, changed pull request ${secondLink}`]);
  });

  test('whose end was the end of both: the pull request that was announced at once says it', () => {
    const world = aWorkingJob();
    followUp(world);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(2 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('ended');
    expect(world.news).toEqual(['started', `finished, first pull request ${firstLink}`]);
  });
});

describe('an archived, failed or vanished job', () => {
  test('that takes a reply all the same is watched again', () => {
    const world = aVanishedJob();
    followUp(world);
    world.answer = anAgentJob();
    world.advance(5 * SECOND_MS);
    expect(world.job).toMatchObject({ stage: { kind: 'working' }, turn: 2 });
    expect(world.news.at(-1)).toBe('vanished');
  });
});

describe('a follow-up whose turn began behind an ending', () => {
  test('is watched again if the agent takes it up after the ending that was seen', () => {
    const world = aWorkingJob();
    followUp(world);
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(10 * SECOND_MS);
    expect(world.job.stage.kind).toBe('ended');
    world.answer = anAgentJob();
    world.advance(2 * MINUTE_MS);
    expect(world.job.stage.kind).toBe('working');
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe(`finished, changed pull request ${secondLink}`);
  });

  test('is watched again, too, when the job had been archived meanwhile, and nobody had looked', () => {
    const world = anEndedJob({ prLink: firstLink });
    followUp(world);
    world.answer = anAgentJob({ status: 'archived', prLink: firstLink });
    world.advance(10 * SECOND_MS);
    expect(world.job.stage).toMatchObject({ kind: 'ended', status: 'archived' });
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * MINUTE_MS);
    expect(world.news.slice(-1)).toEqual([`finished, changed pull request ${secondLink}`]);
  });

  test('is not announced a second time if there is nothing new', () => {
    const world = aWorkingJob();
    followUp(world);
    world.advance(5 * SECOND_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(10 * SECOND_MS);
    const before = world.news;
    world.advance(10 * MINUTE_MS);
    expect(world.news).toEqual(before);
  });
});

describe('a follow-up of unknown fate', () => {
  test('to an ended job: if the agent took it up, its pull request is announced', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe(`changed pull request ${secondLink}`);
  });

  test('to an ended job: a look that fails is made again', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.answer = failures.serverError;
    world.advance(5 * MINUTE_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe(`changed pull request ${secondLink}`);
  });

  test('to an ended job: the agent may take it up an hour later, and is looked at until then', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(HOUR_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * HOUR_MS);
    expect(world.news.at(-1)).toBe(`changed pull request ${secondLink}`);
  });

  test('to an ended job: it is not looked at for ever', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(25 * HOUR_MS);
    expect(world.tasks.has('check_ended_job')).toBe(false);
  });

  test('to a working job: so is one that the agent takes up after the end', () => {
    const world = aWorkingJob();
    world.reply('one more thing');
    world.advance(4 * SECOND_MS);
    world.messageFails(failures.timeout);
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(10 * SECOND_MS);
    expect(world.job.stage.kind).toBe('ended');
    world.answer = anAgentJob();
    world.advance(2 * MINUTE_MS);
    world.answer = anAgentJob({ status: 'completed', prLink: secondLink });
    world.advance(2 * MINUTE_MS);
    expect(world.news.at(-1)).toBe(`finished, changed pull request ${secondLink}`);
  });
});

describe('a second follow-up before the first was seen to be taken up', () => {
  test('the old ending with its old link is still not believed', () => {
    const world = anEndedJob({ prLink: firstLink });
    world.reply('one');
    world.advance(4 * SECOND_MS);
    world.accepted(anAgentJob());
    world.reply('two');
    world.advance(4 * SECOND_MS);
    world.accepted(anAgentJob());
    const before = world.news;
    world.answer = anAgentJob({ status: 'completed', prLink: firstLink });
    world.advance(30 * SECOND_MS);
    expect(world.news).toEqual(before);
    expect(world.job.stage.kind).toBe('working');
  });
});
