import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Outside, readiness, startOutside } from '../crash/support/outside.ts';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';

/** Processes start one after the other; on a busy machine that takes seconds. */
const options = { timeout: 300_000 };

const ask = (world: Outside, text = 'Add a quickstart') =>
  world.slack.command({ channel: general, user: alice, text });

/** Asks, and expects a clear refusal. */
async function expectRefusal(world: Outside): Promise<void> {
  const created = world.api.counts.create;
  await ask(world, 'Not stored');
  expect(JSON.stringify(world.proxy.socket.acks().at(-1)?.payload)).toContain('save that');
  expect(world.api.counts.create).toBe(created);
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
