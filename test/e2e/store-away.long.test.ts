import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { createTempDir } from '../support/temp-dir.ts';

const MINUTE_MS = 60_000;

/** The program with its database in a file that can be taken away: then nothing can be stored. */
async function startOnFile(mode: 'http' | 'socket') {
  const folder = await createTempDir();
  const program = await startProgram({ mode, settings: { DATA_DIR: folder.path } });
  const card = await program.working();
  const file = join(folder.path, 'docs-agent.db');
  return {
    program,
    reply: (text: string) => program.slack.control.reply(card, text),
    takeAway: () => rename(file, `${file}.away`),
    bringBack: () => rename(`${file}.away`, file),
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

const followUps = ({ api }: Program) => (api.jobs[0]?.prompts ?? []).slice(1).join('\n\n');

test.each(['http', 'socket'] as const)(
  'a reply that is written while the store is away for longer than Slack tries is found when it is back, in its order (%s)',
  async (mode) => {
    await using world = await startOnFile(mode);
    const { program } = world;
    await world.takeAway();
    void world.reply('In the outage');
    for (let minute = 0; minute < 10; minute += 1) await program.clock.advance(MINUTE_MS);
    await world.bringBack();
    await world.reply('After it');
    await program.later(
      () => followUps(program),
      (text) => text.includes('In the outage') && text.includes('After it'),
      'both replies at the agent',
    );
    expect(followUps(program)).toBe('In the outage\n\nAfter it');
  },
);

test('replies that were missed while the socket and the store were away are found when both are back', async () => {
  await using world = await startOnFile('socket');
  const { program } = world;
  program.slack.onDelivery(() => 0);
  await world.reply('In the outage');
  for (let minute = 0; minute < 7; minute += 1) await program.clock.advance(MINUTE_MS);
  program.slack.onDelivery(() => 1);
  await world.takeAway();
  program.slack.socket.cut();
  await expect
    .poll(
      async () => {
        await program.clock.advance(1_000);
        return program.log.some((line) => line.includes('catch_up_not_scheduled'));
      },
      { message: 'the reconnect' },
    )
    .toBe(true);
  await world.bringBack();
  await program.later(() => followUps(program), 'In the outage', 'the reply at the agent');
});
