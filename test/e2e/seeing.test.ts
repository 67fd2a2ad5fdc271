import { expect, test } from 'vitest';
import { JOBS_PER_PAGE } from '../../src/slack/views/status.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

async function start() {
  const world = await startStrictWorld();
  /** Types a command, and returns the private answer. */
  const answerTo = async (text: string, user = alice, channel = general): Promise<SlackMessage> => {
    await world.command(text, user, channel);
    const answers = await world.slack.control.messages(channel);
    const answer = answers.findLast(({ subtype }) => subtype === 'ephemeral');
    if (answer === undefined) throw new Error(`no answer to ${text}`);
    return answer;
  };
  return Object.assign(world, { answerTo });
}

const linkTo = ({ channel, ts }: SlackMessage) =>
  `https://strict.slack.com/archives/${channel}/p${ts.replace('.', '')}`;

test('`list` shows to one person the own jobs and the open ones of the channel, with their links (L1)', async () => {
  await using world = await start();
  const { answerTo } = world;
  const finished = await world.working('Explain the rate limits');
  world.api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.threadMessage(finished, 'Pull request ready');
  const open = await world.ask('Document the webhooks');

  const own = await answerTo('list');
  expect(own.text).toMatch(/Document the webhooks\n.*Explain the rate limits\n.*Pull request ready/s);
  expect(own.text).toMatch(/^#2 · .*\n(?:.*\n)*#1 · ✅/m);
  expect(own.text).toContain(`<${linkTo(open)}|thread>`);
  expect(own.text).toContain('<https://github.com/acme/docs/pull/7|acme/docs#7>');
  expect(own).toMatchObject({ ephemeral_to: alice });

  const ofAnother = await answerTo('list', bob);
  expect(ofAnother.text).toContain('Document the webhooks');
  expect(ofAnother.text).toContain(`by <@${alice}>`);
  expect(ofAnother.text).not.toContain('Explain the rate limits');
  expect((await answerTo('list', bob, random)).text).toContain('No jobs');

  for (const message of [open, ofAnother]) {
    await world.slack.control.press(message, 'show_job', bob);
    const shown = await world.formShows('Agent job', bob);
    for (const words of ['*Turn 1*', 'Job #2']) expect(shown).toContain(words);
    await world.slack.control.close(bob);
  }
});

test('long lists turn pages in place, even when jobs were added since (L1)', async () => {
  await using world = await start();
  for (let n = 1; n <= JOBS_PER_PAGE + 2; n += 1) await world.ask(`Request number ${n}.`);
  const numbersIn = ({ text }: SlackMessage) =>
    [...text.matchAll(/number (\d+)\./g)].map(([, n]) => Number(n));
  const first = await world.answerTo('list');
  expect(numbersIn(first)).toEqual([8, 7, 6, 5, 4, 3]);
  await world.ask('Request number 9.');
  await world.slack.control.press(first, 'list_older', alice);
  const second = await world.shows(first, 'number 2.');
  expect(numbersIn(second)).toEqual([2, 1]);
  expect(second.text).not.toContain('[Older]');
});

test('`status` tells the latest job of who asks; with an id or a link, that job, with its turns (L1)', async () => {
  await using world = await start();
  const { api, slack, answerTo } = world;
  expect((await answerTo('status')).text).toContain("You haven't asked for anything yet");
  const card = await world.working('Explain the rate limits');
  await slack.control.reply(card, 'Shorter, please');
  await world.later(() => api.counts.message, 1, 'the follow-up at the API');
  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await world.threadMessage(card, 'Pull request ready');
  await world.shows(card, 'Pull request ready');
  await slack.control.reply(card, 'One more thing');

  const shown = await answerTo('status');
  expect(shown.text).toMatch(/\*Explain the rate limits\*\n✅ \*Pull request ready\*/);
  expect(shown.text).toContain(`Open thread: ${linkTo(card)}`);
  expect(shown.text).toMatch(/\*Turn 1\* .*\n\*Turn 2\* .*Done.*Pull request.*\n“Shorter, please”/);
  expect(shown.text).toMatch(/Waiting: “One more thing”/);

  const [, id = ''] = /jobId\\":\\"([0-9a-f]{8}-[0-9a-f]{4})/.exec(JSON.stringify(card)) ?? [];
  for (const word of ['1', '#1', id, api.jobs[0]?.id, linkTo(card), `<${linkTo(card)}>`]) {
    expect((await answerTo(`status ${word}`, bob)).text, word).toContain('Explain the rate limits');
  }
  for (const word of ['1', '#2', id, linkTo(card)]) {
    expect((await answerTo(`status ${word}`, bob, random)).text).toContain("I can't find that job");
  }
  expect((await answerTo(`status ${id}`, alice, random)).text).toContain('Explain the rate limits');
});
