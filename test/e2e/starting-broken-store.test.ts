import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { beside } from '../support/beside.ts';
import { alice, general } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';

async function start() {
  const dataDir = await createTempDir();
  const world = await startStrictWorld({ settings: { DATA_DIR: dataDir.path } });
  onTestFinished(async () => {
    await world[Symbol.asyncDispose]();
    await dataDir.remove();
  });
  return { world, file: join(dataDir.path, 'docs-agent.db') };
}

/** From another connection: jobs cannot be stored, or changed, until it is mended. */
async function breakStore(path: string, change: 'insert' | 'update'): Promise<{ mend(): Promise<void> }> {
  const file = beside(path);
  await file.execute(
    `create trigger broken before ${change} on job begin select raise(abort, 'the disk is broken'); end`,
  );
  return {
    mend: async () => {
      await file.execute('drop trigger broken');
      file.close();
    },
  };
}

test('a mention and a direct message that could not be stored start when Slack delivers them again (S3, S5)', async () => {
  const { world, file } = await start();
  await world.settled();
  const store = await breakStore(file, 'insert');
  const write = (channel: string, text: string) =>
    world.slack.control.message({ channel, user: alice, text });
  const written = [write(general, `${bot} Fix the typos`), write(alice, 'Fix the links')];
  const failures = () => world.log.filter((line) => line.includes('listener_failed')).length;
  await expect.poll(failures, { message: 'both to fail, the mention as two events' }).toBe(3);
  await store.mend();
  // Slack waits 3 seconds for each, and delivers them again at once, after a minute, and after five.
  await world.clock.advance(3_000);
  await Promise.all(written);
  await world.clock.advance(60_000);
  await world.started('Fix the typos');
  await world.started('Fix the links');
  await world.clock.advance(300_000);
  expect(world.prompts().flat().sort()).toEqual(['Fix the links', 'Fix the typos']);
});

test('a form that could not be stored says so, keeps what was typed, and works when sent again (S2)', async () => {
  const { world, file } = await start();
  await world.slack.control.command({ channel: general, user: alice, text: '' });
  const store = await breakStore(file, 'insert');
  const { errors } = await world.slack.control.submit(alice, { prompt: 'Fix the typos' });
  expect(errors?.prompt).toContain("I couldn't save that. Please try again in a minute.");
  await store.mend();
  expect((await world.slack.control.submit(alice)).errors).toBeNull();
  await world.settled();
  expect(world.prompts()).toEqual([['Fix the typos']]);
});

test('a command that is not stored in time says that nobody can tell, and starts once when it is (S1)', async () => {
  const { world, file } = await start();
  await world.settled();
  const other = beside(file);
  await other.execute('begin immediate');
  const typed = world.slack.control.command({ channel: general, user: alice, text: 'Fix the typos' });
  // What Slack says of her has arrived; the command itself is not answered.
  await expect.poll(() => world.slack.calls('users.info').length, { message: 'a look at Alice' }).toBe(1);
  await expect.poll(() => world.slack.inFlight(), { message: 'the command alone' }).toBe(1);
  await world.clock.advance(2_400);
  const { payload } = await typed;
  expect(JSON.stringify(payload)).toContain(
    "I can't tell whether that was saved. If nothing appears within a minute, please try again.",
  );
  await other.execute('rollback');
  other.close();
  await world.started('Fix the typos');
  expect(world.prompts()).toEqual([['Fix the typos']]);
});

test('"Start another" that could not be stored says so, and works when pressed again (S5)', async () => {
  const { world, file } = await start();
  const command = { channel: general, user: alice, text: 'Fix the typos' };
  await world.slack.control.command(command);
  await world.settled();
  await world.slack.control.command(command);
  const question = await world.sentPrivately(general, 'You asked for this');
  await world.settled();
  const store = await breakStore(file, 'update');
  const press = world.slack.control.press(question, 'start_another', alice);
  await world.sentPrivately(general, 'save that');
  // Slack waits 3 seconds for the acknowledgement.
  await world.clock.advance(3_000);
  await press;
  await store.mend();
  await world.slack.control.press(question, 'start_another', alice);
  await world.settled();
  expect(world.prompts()).toEqual([['Fix the typos'], ['Fix the typos']]);
});
