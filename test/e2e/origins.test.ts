import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../src/jobs/job.ts';
import { alice, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** How the jobs came to be, the oldest first. */
function origins(): unknown[] {
  const file = new DatabaseSync(join(world.env.DATA_DIR ?? '', 'docs-agent.db'), { readOnly: true });
  const rows = file.prepare('select data from job order by number').all();
  file.close();
  return rows.map(({ data }) => (JSON.parse(String(data)) as Job).origin?.kind);
}

test('a job knows whether a command, a message, a form, a shortcut or the home tab asked for it', async () => {
  const { control } = world.slack;
  const submit = async (prompt: string, values = {}) => {
    await expect.poll(() => control.modal(alice), { message: 'the form' }).not.toBeNull();
    await control.submit(alice, { prompt, ...values });
  };
  const write = (text: string, channel = general) => control.message({ channel, user: alice, text });

  await control.command({ channel: general, user: alice, text: 'By the command' });
  await write('<@U0DOCSAGENT> By a mention');
  await write('By a direct message', alice);
  await control.command({ channel: general, user: alice, text: '' });
  await submit('By the form');
  const message = await write('The page on limits is wrong');
  await control.shortcut({ message, user: alice, callbackId: 'ask_docs_agent' });
  await submit('By the shortcut');
  await control.openHome(alice);
  await world.settled();
  await control.pressInView(alice, 'start_job');
  await submit('By the home tab', { channel: general });

  expect(origins()).toEqual(['command', 'mention', 'direct_message', 'form', 'shortcut', 'home']);
});
