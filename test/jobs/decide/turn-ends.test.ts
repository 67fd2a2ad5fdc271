import { expect, test } from 'vitest';
import { anAgentJob, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { endsIn } from '../support/posted.ts';
import { anEndedJob, aWorkingJob } from '../support/stages.ts';
import { follows, goesOut, heard, live, passes, says, shows } from '../support/story.ts';

const first = 'https://github.com/acme/docs/pull/1';
const second = 'https://github.com/acme/docs/pull/2';
const firstLink = `<${first}|acme/docs#1>`;
const secondLink = `<${second}|acme/docs#2>`;
const ready = `🎉 <@U1> <@U2> *Pull request ready:* ${firstLink}`;
const updated = `✅ <@U2> *Updated:* ${firstLink} · 1 reply included`;
const ends = (prLink: string, status = 'completed') => ({ status, prLink });

/** A reply was taken, and the turn with it is over. */
function endedWithAReply() {
  const world = live(aWorkingJob(), follows(), passes(5 * SECOND_MS), shows(ends(first)));
  expect(endsIn(world)).toEqual([`${ready} · took 14 s · 1 reply included`]);
  return world;
}

test('a reply that was told to be included is not told again when the agent goes on', () => {
  const world = live(endedWithAReply(), shows({}, MINUTE_MS), shows(ends(second), MINUTE_MS));
  expect(endsIn(world).slice(1)).toEqual([`🎉 <@U1> <@U2> *Another pull request:* ${secondLink}`]);
});

test('a reply does not set back the time that the agent has worked', () => {
  const world = live(
    aWorkingJob(),
    passes(5 * MINUTE_MS),
    follows(),
    passes(5 * SECOND_MS),
    shows(ends(first)),
  );
  expect(endsIn(world)).toEqual([`${ready} · took 5 min · 1 reply included`]);
});

test('if the agent takes up the reply after that, the end of its turn is told, and nothing of somebody else', () => {
  const world = live(aWorkingJob(), follows(), shows(ends(first), 20 * SECOND_MS));
  live(world, shows({}, MINUTE_MS), shows(ends(first), MINUTE_MS));
  expect(endsIn(world)).toEqual([ready, updated]);
  expect(world.news).not.toContain('continued');
});

test('a failure with a pull request is one message, also when it waits until the turn proves to be over', () => {
  const told = heard(aWorkingJob(), follows(), shows(ends(first, 'failed'), 10 * MINUTE_MS));
  expect(told).toEqual([`failed, first pull request ${first}`]);
});

test('a pull request that came with a failure is told before the next turn, or the answer to another reply, hides it', () => {
  const failed = [follows(), shows(ends(first, 'failed'), 10 * SECOND_MS)];
  for (const hidden of [{}, ends(second), { status: 'failed' }]) {
    const world = live(aWorkingJob(), ...failed, passes(10 * SECOND_MS), shows(hidden));
    expect(endsIn(world)[0]).toBe(ready);
  }
  const answered = live(aWorkingJob(), ...failed, says('And this'), goesOut);
  answered.accepted(anAgentJob());
  expect(endsIn(answered)).toEqual([ready]);
});

test('a job that completes after it had failed tells its replies then', () => {
  const world = live(anEndedJob({ prLink: first }), follows());
  for (const status of ['failed', 'completed', 'archived'])
    live(world, shows(ends(first, status), MINUTE_MS));
  live(world, shows(ends(first), 10 * MINUTE_MS));
  expect(endsIn(world).slice(1)).toEqual([
    '❌ <@U1> *Failed.* The agent gave no reason.',
    updated,
    '⚪ *Archived.* A reply may still reopen it.',
  ]);
});

test('a link that changes after the end was told is news of its own, and tells no reply again', () => {
  const world = live(anEndedJob({ prLink: first }), follows(), shows({}));
  live(world, shows(ends(first)), shows(ends(second), MINUTE_MS));
  expect(endsIn(world).slice(1)).toEqual([updated, `🎉 <@U1> <@U2> *Another pull request:* ${secondLink}`]);
});

test('the second failure in a row says so; another end between two starts to count anew', () => {
  const world = aWorkingJob();
  for (const status of ['failed', 'failed', 'completed', 'failed'])
    live(world, shows({ status }, MINUTE_MS), follows(), shows({}, MINUTE_MS));
  const failures = endsIn(world).filter((line) => line.includes('Failed'));
  expect(failures.map((line) => line.includes('Twice in a row'))).toEqual([false, true, false]);
});
