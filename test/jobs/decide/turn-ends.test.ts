import { expect, test } from 'vitest';
import { anAgentJob, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { endsIn } from '../support/posted.ts';
import { anEndedJob, aWorkingJob, followUp } from '../support/stages.ts';

const first = 'https://github.com/acme/docs/pull/1';
const second = 'https://github.com/acme/docs/pull/2';
const firstLink = `<${first}|acme/docs#1>`;
const secondLink = `<${second}|acme/docs#2>`;

test('a reply that was told to be included is not told again when the agent goes on', () => {
  const world = aWorkingJob();
  followUp(world);
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob();
  world.advance(MINUTE_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: second });
  world.advance(MINUTE_MS);
  expect(endsIn(world)).toEqual([
    `🎉 <@U1> <@U2> *Pull request ready:* ${firstLink} · took 14 s · 1 reply included`,
    `🎉 <@U1> <@U2> *Another pull request:* ${secondLink}`,
  ]);
});

test('a reply does not set back the time that the agent has worked', () => {
  const world = aWorkingJob();
  world.advance(5 * MINUTE_MS);
  followUp(world);
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  expect(endsIn(world)).toEqual([
    `🎉 <@U1> <@U2> *Pull request ready:* ${firstLink} · took 5 min · 1 reply included`,
  ]);
});

test('only the replies that came since are told when another end follows', () => {
  const world = aWorkingJob();
  followUp(world);
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob();
  world.advance(MINUTE_MS);
  followUp(world, 'One more thing');
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  expect(endsIn(world).at(-1)).toBe(`✅ <@U2> *Updated:* ${firstLink} · 1 reply included`);
});

test('a pull request that was told at once is not told again when the turn proves to be over', () => {
  const world = aWorkingJob();
  followUp(world);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  expect(endsIn(world)).toEqual([`🎉 <@U1> <@U2> *Pull request ready:* ${firstLink}`]);
  world.advance(10 * MINUTE_MS);
  expect(world.job.stage.kind).toBe('ended');
  expect(endsIn(world)).toHaveLength(1);
});

test('if the agent takes up the reply after that, the end of its turn is told, and nothing of somebody else', () => {
  const world = aWorkingJob();
  followUp(world);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(20 * SECOND_MS);
  world.answer = anAgentJob();
  world.advance(MINUTE_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(MINUTE_MS);
  expect(endsIn(world)).toEqual([
    `🎉 <@U1> <@U2> *Pull request ready:* ${firstLink}`,
    `✅ <@U2> *Updated:* ${firstLink} · 1 reply included`,
  ]);
  expect(world.news).not.toContain('continued');
});

test('a failure with a pull request is one message, also when it waits until the turn proves to be over', () => {
  const world = aWorkingJob();
  followUp(world);
  world.answer = anAgentJob({ status: 'failed', prLink: first });
  world.advance(10 * MINUTE_MS);
  expect(world.news.slice(1)).toEqual([`failed, first pull request ${first}`]);
});

test('a pull request that came with a failure is told before the next turn hides it', () => {
  for (const hide of [
    () => anAgentJob(),
    () => anAgentJob({ status: 'completed', prLink: second }),
    () => anAgentJob({ status: 'failed' }),
  ]) {
    const world = aWorkingJob();
    followUp(world);
    world.answer = anAgentJob({ status: 'failed', prLink: first });
    world.advance(20 * SECOND_MS);
    world.answer = hide();
    world.advance(5 * SECOND_MS);
    expect(endsIn(world)[0]).toBe(`🎉 <@U1> <@U2> *Pull request ready:* ${firstLink}`);
  }
});

test('likewise before the answer to another reply, or another start, hides it', () => {
  const answered = aWorkingJob();
  followUp(answered);
  answered.answer = anAgentJob({ status: 'failed', prLink: first });
  answered.advance(10 * SECOND_MS);
  answered.reply('And this');
  answered.advance(4 * SECOND_MS);
  answered.accepted(anAgentJob());
  expect(endsIn(answered)).toEqual([`🎉 <@U1> <@U2> *Pull request ready:* ${firstLink}`]);
});

test('another pull request that comes with a failure or the archiving is called another', () => {
  for (const status of ['failed', 'archived']) {
    const world = anEndedJob({ prLink: first });
    followUp(world);
    world.answer = anAgentJob({ status, prLink: second });
    world.advance(5 * SECOND_MS);
    expect(world.news.at(-1)).toBe(`${status}, changed pull request ${second}`);
  }
});

test('a job that completes after it had failed tells its replies then', () => {
  const world = anEndedJob({ prLink: first });
  followUp(world);
  world.answer = anAgentJob({ status: 'failed', prLink: first });
  world.advance(MINUTE_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(MINUTE_MS);
  world.answer = anAgentJob({ status: 'archived', prLink: first });
  world.advance(MINUTE_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(10 * MINUTE_MS);
  expect(endsIn(world).slice(1)).toEqual([
    '❌ <@U1> *Failed.* The agent gave no reason.',
    `✅ <@U2> *Updated:* ${firstLink} · 1 reply included`,
    '⚪ *Archived.* A reply may still reopen it.',
  ]);
});

test('a link that changes after the end was told is news of its own, and tells no reply again', () => {
  const world = anEndedJob({ prLink: first });
  followUp(world);
  world.answer = anAgentJob();
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: first });
  world.advance(5 * SECOND_MS);
  world.answer = anAgentJob({ status: 'completed', prLink: second });
  world.advance(MINUTE_MS);
  expect(endsIn(world).slice(1)).toEqual([
    `✅ <@U2> *Updated:* ${firstLink} · 1 reply included`,
    `🎉 <@U1> <@U2> *Another pull request:* ${secondLink}`,
  ]);
});

test('the second failure in a row says so; another end between two starts to count anew', () => {
  const world = aWorkingJob();
  const endAs = (status: string) => {
    world.answer = anAgentJob({ status });
    world.advance(MINUTE_MS);
  };
  const again = () => {
    followUp(world);
    endAs('active');
  };
  endAs('failed');
  again();
  endAs('failed');
  again();
  endAs('completed');
  again();
  endAs('failed');
  const failures = endsIn(world).filter((line) => line.includes('Failed'));
  expect(failures.map((line) => line.includes('Twice in a row'))).toEqual([false, true, false]);
});
