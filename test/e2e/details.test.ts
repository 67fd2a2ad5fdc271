import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { beside } from '../support/beside.ts';
import { includes } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { createTempDir } from '../support/temp-dir.ts';

const allowing = (user: string) => `access: { users: [${user}] }`;

let program: Program;
let file: string;
const shown = () => JSON.stringify(program.slack.control.modal(alice)?.blocks ?? []);
const shows = (words: string) => program.later(shown, includes(words), `a modal with "${words}"`);

/** A home tab from before Slack refused the card, with *Details* of that job, which offer *Try again*. */
beforeEach(async () => {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  file = join(folder.path, 'docs-agent.db');
  program = await startProgram({ configFile: allowing(alice), settings: { DATA_DIR: folder.path } });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const { slack } = program;
  const refuse = (error: string) =>
    slack.onCall(({ method, args }) => {
      if (method === 'views.publish' && error !== 'internal_error') return { error: 'internal_error' };
      return method === 'chat.postMessage' && args.channel === general ? { error } : null;
    });
  refuse('internal_error');
  await slack.control.command({ channel: general, user: alice, text: 'Explain the rate limits' });
  await slack.control.openHome(alice);
  const home = () => JSON.stringify(slack.control.home(alice)?.blocks ?? []);
  await program.later(home, includes('rate limits'), 'the job at home');
  refuse('restricted_action');
  await program.later(
    async () => (await slack.control.messages(general)).map(({ text }) => text).join(),
    includes("posting isn't allowed"),
    'the refusal',
  );
  await slack.control.pressInView(alice, 'show_job');
  await shows('"Start"');
  slack.onCall(() => null);
});

test('*Try again* there starts the job, and shows it (L2, S4)', async () => {
  await program.slack.control.pressInView(alice, 'try_again');
  expect(await shows('The card is about to appear')).toContain('*Starting*');
  expect(shown()).not.toContain('try_again');
  await program.later(() => program.api.counts.create, 1, 'the job');
});

test('*Try again* there that comes too late says so, and shows the job as it is now (L2)', async () => {
  const { control } = program.slack;
  await control.command({ channel: general, user: alice, text: 'status' });
  const elsewhere = (await control.messages(general)).findLast(({ text }) => text.includes('[Start]'));
  if (elsewhere !== undefined) await control.press(elsewhere, 'try_again', alice);
  await control.pressInView(alice, 'try_again');
  expect(await shows('Already done')).toContain('*Starting*');
});

test('*Try again* there that cannot be stored says so, once, and can be pressed again (L2, E1)', async () => {
  const { control } = program.slack;
  const store = beside(file);
  await store.execute("create trigger broken before update on job begin select raise(abort, 'broken'); end");
  for (const _press of [1, 2]) {
    // Slack waits 3 seconds for the acknowledgement.
    const press = control.pressInView(alice, 'try_again');
    await shows('save that');
    await program.clock.advance(3_000);
    await press;
  }
  expect(shown().split('save that')).toHaveLength(2);
  expect(program.log.filter((line) => line.includes('answer_not_shown'))).toEqual([]);
  await store.execute('drop trigger broken');
  store.close();
  await control.pressInView(alice, 'try_again');
  expect(await shows('The card is about to appear')).not.toContain('save that');
});

test('who may not use the program any more is told so there, and nothing starts (A1)', async () => {
  await program.restart(allowing(bob));
  await program.slack.control.pressInView(alice, 'try_again');
  expect(await shows('use docs-agent here')).not.toContain('try_again');
  await program.clock.advance(10_000);
  expect(program.api.counts.create).toBe(0);
});
