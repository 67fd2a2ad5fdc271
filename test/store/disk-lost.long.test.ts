import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Outside, startOutside } from '../crash/support/outside.ts';
import type { ChildProgram } from '../support/child-program.ts';
import { alice, bob, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { cannotForbidWriting, forbidWriting } from './support/unwritable.ts';

/** Processes start one after the other; on a busy machine that takes seconds. */
const options = { timeout: 300_000 };

async function readiness(program: ChildProgram): Promise<{ status: number; body: string }> {
  const { port } = await program.logged('started');
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: response.status, body: await response.text() };
}

const ask = (world: Outside, text = 'Add a quickstart') =>
  world.slack.command({ channel: general, user: alice, text });

/** Asks, and expects a clear refusal. */
async function expectRefusal(world: Outside): Promise<void> {
  const created = world.api.counts.create;
  await ask(world, 'Not stored');
  expect(JSON.stringify(world.proxy.socket.acks().at(-1)?.payload)).toContain('save that');
  expect(world.api.counts.create).toBe(created);
}

const refusesWrites = 'a disk that refuses to be written';
describeWithLocalSlack(
  cannotForbidWriting === null ? refusesWrites : `${refusesWrites} (skipped: ${cannotForbidWriting})`,
  () => {
    const title = 'is told, and when it takes writes again all goes on without a restart';
    if (cannotForbidWriting === null) test.concurrent(title, options, recovers);
    else test.skip(title, () => {});
  },
);

async function recovers(): Promise<void> {
  await using folder = await createTempDir();
  const files = ['docs-agent.db', 'docs-agent.db-wal'].map((name) => join(folder.path, name));
  await using world = await startOutside({ DATA_DIR: folder.path });
  const program = await world.start();
  await ask(world);
  const { thread_ts: threadTs = '' } = await world.messageSeen('On it');

  using forbidden = forbidWriting(files);
  expect(await readiness(program)).toEqual({ status: 503, body: expect.stringContaining('disk I/O error') });
  await expectRefusal(world);
  const acks = world.proxy.socket.acks().length;
  const sending = world.slack.message({ channel: general, user: bob, text: 'Kept', threadTs });
  await program.logged('listener_failed');
  expect(world.proxy.socket.acks()).toHaveLength(acks);

  forbidden.allow();
  expect((await readiness(program)).status).toBe(200);
  world.proxy.socket.redeliver();
  const reply = await sending;
  await world.until(
    () => world.slack.reactions(reply),
    (names) => names.join() === 'white_check_mark',
    'the receipt',
  );
  expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', 'Kept']]);
}

describeWithLocalSlack('a data directory that is removed under the running program', () => {
  test.concurrent(
    'is reported: nothing more is accepted until the program is started again',
    options,
    async () => {
      await using folder = await createTempDir();
      const dataDir = join(folder.path, 'data');
      await using world = await startOutside({ DATA_DIR: dataDir });
      const program = await world.start();
      await ask(world);
      await world.messageSeen('On it');

      await rm(dataDir, { recursive: true });
      expect(await readiness(program)).toEqual({
        status: 503,
        body: expect.stringContaining('was removed or replaced while docs-agent ran'),
      });
      await expectRefusal(world);
      // An empty one in its place is not the same.
      await mkdir(dataDir);
      await expectRefusal(world);

      program.kill('SIGTERM');
      await program.exit;
      const next = await world.start();
      expect((await readiness(next)).status).toBe(200);
      await ask(world, 'Add an FAQ');
      await world.until(
        () => world.api.counts.create,
        (count) => count === 2,
        'the next job',
      );
    },
  );
});
