import { expect, test } from 'vitest';
import { JOBS_PER_PAGE } from '../../src/slack/views/list.ts';
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

async function asSeenNow({ slack }: Program, { channel, ts }: SlackMessage): Promise<SlackMessage> {
  const message = (await slack.control.messages(channel)).find((candidate) => candidate.ts === ts);
  if (message === undefined) throw new Error(`the message ${ts} is gone`);
  return message;
}

const linkTo = ({ channel, ts }: SlackMessage) =>
  `https://strict.slack.com/archives/${channel}/p${ts.replace('.', '')}`;

test('`list` shows to one person the own jobs and the open ones of the channel, with their links (L1)', async () => {
  await using program = await startProgram();
  const { api } = program;
  const finished = await program.ask('Explain the rate limits');
  await program.told(finished, 'Working');
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.told(finished, 'is ready');
  const open = await program.ask('Document the webhooks');

  const own = await answerTo(program, 'list');
  expect(own.text).toMatch(/Document the webhooks\n.*Explain the rate limits\n.*Finished/s);
  expect(own.text).toContain(`<${linkTo(open)}|thread>`);
  expect(own.text).toContain('<https://github.com/acme/docs/pull/7>');
  expect(own).toMatchObject({ ephemeral_to: alice });

  const ofAnother = await answerTo(program, 'list', bob);
  expect(ofAnother.text).toContain('Document the webhooks');
  expect(ofAnother.text).toContain(`by <@${alice}>`);
  expect(ofAnother.text).not.toContain('Explain the rate limits');
  expect((await answerTo(program, 'list', bob, random)).text).toContain('No jobs yet');
});

test('`status` of a request that Slack did not let start offers *Try again* (L1, S4)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  program.slack.onCall(({ method, args }) =>
    method === 'chat.postMessage' && args.channel === general ? { error: 'restricted_action' } : null,
  );
  await control.command({ channel: general, user: alice, text: 'Explain the rate limits' });
  await program.later(
    async () => (await control.messages(general)).map(({ text }) => text).join('\n'),
    (text) => text.includes('Not started'),
    'the refusal',
  );
  program.slack.onCall(() => null);
  await control.press(await answerTo(program, 'status'), 'try_again', alice);
  await program.later(
    () => program.api.jobs.length,
    (count) => count === 1,
    'the job',
  );
});

test('long lists turn pages in place, also when jobs were added since (L1)', async () => {
  await using program = await startProgram();
  const { slack } = program;
  for (let n = 1; n <= JOBS_PER_PAGE + 2; n += 1) await program.ask(`Request number ${n}.`);
  const numbersIn = ({ text }: SlackMessage) =>
    [...text.matchAll(/number (\d+)\./g)].map(([, n]) => Number(n));
  const first = await answerTo(program, 'list');
  expect(numbersIn(first)).toEqual([8, 7, 6, 5, 4, 3]);
  await program.ask('Request number 9.');
  await slack.control.press(first, 'list_older', alice);
  const second = await program.later(
    () => asSeenNow(program, first),
    ({ text }) => text.includes('number 2.'),
    'the second page',
  );
  expect(numbersIn(second)).toEqual([2, 1]);
  expect(second.text).not.toContain('Button: Older');
  await slack.control.press(second, 'list_newer', alice);
  const back = await program.later(
    () => asSeenNow(program, first),
    ({ text }) => text.includes('number 8.'),
    'the page before',
  );
  expect(numbersIn(back)).toEqual([8, 7, 6, 5, 4, 3]);
});

test('`status` tells the latest job of who asks; with an id or a link, that job, with its turns (L1)', async () => {
  await using program = await startProgram();
  const { api, slack } = program;
  expect((await answerTo(program, 'status')).text).toContain('You have asked for no job yet');
  const card = await program.ask('Explain the rate limits');
  await program.told(card, 'Working');
  await slack.control.message({ channel: general, user: bob, text: 'Shorter, please', threadTs: card.ts });
  await program.later(
    () => api.counts.message,
    (count) => count === 1,
    'the follow-up at the API',
  );
  api.finish(api.jobs[0]?.id ?? '', { status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' });
  await program.told(card, 'is ready');
  await program.told(card, 'Finished');
  await slack.control.message({
    channel: general,
    user: bob,
    text: 'One more thing',
    threadTs: card.ts,
  });

  const shown = await answerTo(program, 'status');
  expect(shown.text).toMatch(/✅ \*Finished\*\n“Explain the rate limits”/);
  expect(shown.text).toContain(`Open the thread: ${linkTo(card)}`);
  expect(shown.text).toMatch(
    /\*Turn 1\* .*\n\*Turn 2\* .*(Pull request.*Finished|Finished.*Pull request).*\n“Shorter, please”/,
  );
  expect(shown.text).toMatch(/Waits: “One more thing”/);

  const [, id = ''] = /status ([0-9a-f]{8}-[0-9a-f]{4})`/.exec(shown.text) ?? [];
  for (const word of [id, api.jobs[0]?.id, linkTo(card), `<${linkTo(card)}>`]) {
    expect((await answerTo(program, `status ${word}`, bob)).text, word).toContain('Explain the rate limits');
  }
  for (const word of [id, linkTo(card), 'nothing']) {
    expect((await answerTo(program, `status ${word}`, bob, random)).text).toContain('No such job');
  }
  expect((await answerTo(program, `status ${id}`, alice, random)).text).toContain('Explain the rate limits');
});

test('*Details* in a list shows the job in full (L1)', async () => {
  await using program = await startProgram();
  await program.ask('Explain the rate limits');
  const list = await answerTo(program, 'list', bob);
  await program.slack.control.press(list, 'show_job', bob);
  const shown = await program.later(
    async () =>
      (await program.slack.control.messages(general))
        .filter((message) => message.ephemeral_to === bob)
        .at(-1),
    (message) => message?.text.includes('Agent job') === true,
    'the job in full',
  );
  expect(shown?.text).toContain('shows this again');
  expect((await asSeenNow(program, list)).text).toBe(list.text);
});
