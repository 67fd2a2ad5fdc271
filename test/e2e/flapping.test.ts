import { expect, test } from 'vitest';
import { random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const A = 'https://github.com/acme/docs/pull/7001';
const B = 'https://github.com/acme/docs/pull/7002';

/** The agent answers these by turns. */
function says(program: Program, answers: readonly object[]): void {
  const id = program.api.jobs[0]?.id;
  const faults = Array.from({ length: 400 }, (_, read) => ({
    status: 200,
    body: { id, ...answers[read % answers.length] },
  }));
  program.api.failNext('get', ...faults);
}

test.each([
  [
    'a pull request, spelled differently',
    [A, `${A}/`, 'https://github.com/Acme/Docs/pull/7001'].map((prLink) => ({ status: 'completed', prLink })),
    ['Pull request ready', A],
  ],
  [
    'completed and failed',
    ['completed', 'failed'].map((status) => ({ status, prLink: A })),
    ['Pull request ready', A, 'Failed'],
  ],
  [
    'two pull requests',
    [A, B].map((prLink) => ({ status: 'completed', prLink })),
    ['Pull request ready', A, 'Another', B],
  ],
])(
  '%s, by turns: told once each, with one notice for each pull request (W2, W3, N1)',
  async (_name, answers, told) => {
    await using program = await startProgram({ settings: { NOTICE_CHANNELS: random } });
    const { control } = program.slack;
    control.invite(random, strictApp.botUserId);
    const card = await program.ask('Add a quickstart');
    says(program, answers);
    await program.threadMessage(card, told.at(-1) ?? '');
    for (let minute = 0; minute < 20; minute += 1) await program.clock.advance(60_000);
    const thread = (await control.messages(card.channel)).filter(({ thread_ts }) => thread_ts === card.ts);
    const posts = thread.filter(({ ts, text }) => ts !== card.ts && !text.includes('*On it.*'));
    const words = told.filter((one) => !one.startsWith('http'));
    expect(posts).toHaveLength(words.length);
    for (const one of told) expect(posts.filter(({ text }) => text.includes(one)).length).toBeGreaterThan(0);
    const notices = (await control.messages(random)).filter(({ text }) => text.startsWith('📝'));
    expect(notices).toHaveLength(told.length - words.length);
  },
);
