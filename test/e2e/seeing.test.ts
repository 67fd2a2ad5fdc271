import { expect, test } from 'vitest';
import { JOBS_PER_PAGE } from '../../src/slack/views/status.ts';
import { includes } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

/** Types a command, and returns the private answer. */
async function answerTo(
  program: Program,
  text: string,
  user = alice,
  channel = general,
): Promise<SlackMessage> {
  await program.slack.control.command({ channel, user, text });
  const answers = (await program.slack.control.messages(channel)).filter(
    ({ subtype }) => subtype === 'ephemeral',
  );
  const answer = answers.at(-1);
  if (answer === undefined) throw new Error(`no answer to ${text}`);
  return answer;
}

const linkTo = ({ channel, ts }: SlackMessage) =>
  `https://strict.slack.com/archives/${channel}/p${ts.replace('.', '')}`;

test('`list` shows to one person the own jobs and the open ones of the channel, with their links (L1)', async () => {
  await using program = await startProgram();
  const { api } = program;
  const finished = await program.working('Explain the rate limits');
  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.threadMessage(finished, 'Pull request ready');
  const open = await program.ask('Document the webhooks');

  const own = await answerTo(program, 'list');
  expect(own.text).toMatch(/Document the webhooks\n.*Explain the rate limits\n.*Pull request ready/s);
  expect(own.text).toMatch(/^#2 · .*\n(?:.*\n)*#1 · ✅/m);
  expect((await answerTo(program, 'status 1')).text).toContain('Explain the rate limits');
  expect(own.text).toContain(`<${linkTo(open)}|thread>`);
  expect(own.text).toContain('<https://github.com/acme/docs/pull/7|acme/docs#7>');
  expect(own).toMatchObject({ ephemeral_to: alice });

  const ofAnother = await answerTo(program, 'list', bob);
  expect(ofAnother.text).toContain('Document the webhooks');
  expect(ofAnother.text).toContain(`by <@${alice}>`);
  expect(ofAnother.text).not.toContain('Explain the rate limits');
  expect((await answerTo(program, 'list', bob, random)).text).toContain('No jobs');
});

test('`status` of a request that Slack did not let start offers *Start* (L1, S4)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  program.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && args.channel === general ? { error: 'restricted_action' } : null,
  );
  await control.command({ channel: general, user: alice, text: 'Explain the rate limits' });
  await program.later(
    async () => (await control.messages(general)).map(({ text }) => text).join('\n'),
    includes("posting isn't allowed"),
    'the refusal',
  );
  program.slack.onCall(() => null);
  await control.press(await answerTo(program, 'status'), 'try_again', alice);
  await program.later(() => program.api.jobs.length, 1, 'the job');
});

test('long lists turn pages in place, even when jobs were added since (L1)', async () => {
  await using program = await startProgram();
  const { slack } = program;
  for (let n = 1; n <= JOBS_PER_PAGE + 2; n += 1) await program.ask(`Request number ${n}.`);
  const numbersIn = ({ text }: SlackMessage) =>
    [...text.matchAll(/number (\d+)\./g)].map(([, n]) => Number(n));
  const first = await answerTo(program, 'list');
  expect(numbersIn(first)).toEqual([8, 7, 6, 5, 4, 3]);
  await program.ask('Request number 9.');
  await slack.control.press(first, 'list_older', alice);
  const second = await program.shows(first, 'number 2.');
  expect(numbersIn(second)).toEqual([2, 1]);
  expect(second.text).not.toContain('[Older]');
});

test('`status` tells the latest job of who asks; with an id or a link, that job, with its turns (L1)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  expect((await answerTo(program, 'status')).text).toContain("You haven't asked for anything yet");
  const card = await program.working('Explain the rate limits');
  await slack.control.reply(card, 'Shorter, please');
  await program.later(() => api.counts.message, 1, 'the follow-up at the API');
  api.finish(0, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.threadMessage(card, 'Pull request ready');
  await program.shows(card, 'Pull request ready');
  await slack.control.reply(card, 'One more thing');

  const shown = await answerTo(program, 'status');
  expect(shown.text).toMatch(/\*Explain the rate limits\*\n✅ \*Pull request ready\*/);
  expect(shown.text).toContain(`Open thread: ${linkTo(card)}`);
  expect(shown.text).toMatch(/\*Turn 1\* .*\n\*Turn 2\* .*Done.*Pull request.*\n“Shorter, please”/);
  expect(shown.text).toMatch(/Waiting: “One more thing”/);

  const [, id = ''] = /jobId\\":\\"([0-9a-f]{8}-[0-9a-f]{4})/.exec(JSON.stringify(card)) ?? [];
  for (const word of ['1', '#1', id, api.jobs[0]?.id, linkTo(card), `<${linkTo(card)}>`]) {
    expect((await answerTo(program, `status ${word}`, bob)).text, word).toContain('Explain the rate limits');
  }
  for (const word of ['1', '#2', id, linkTo(card)]) {
    expect((await answerTo(program, `status ${word}`, bob, random)).text).toContain("I can't find that job");
  }
  expect((await answerTo(program, `status ${id}`, alice, random)).text).toContain('Explain the rate limits');
});

test('*Details* on a card, and in a list, opens the job in full, for whoever reads there (L1)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  const card = await program.working('Explain the rate limits');
  const modal = () => JSON.stringify(control.modal(bob)?.blocks ?? []);
  for (const message of [card, await answerTo(program, 'list', bob)]) {
    await control.press(message, 'show_job', bob);
    const shown = await program.later(modal, includes('Agent job'), 'the job in full');
    expect(shown).toContain('*Turn 1*');
    expect(shown).toContain('Job #1');
    await control.close(bob);
  }
});
