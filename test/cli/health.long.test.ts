import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWorld, type World } from '../e2e/support/world.ts';
import { beside } from '../support/beside.ts';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';

async function ask(world: World, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${world.service.port}${path}`);
  return { status: response.status, body: await response.json() };
}

const allWell = { status: 200, body: { ok: true, checks: { store: 'ok', slack: 'ok', work: 'ok' } } };

for (const mode of ['socket', 'http'] as const) {
  describeWithLocalSlack(`health in ${mode === 'socket' ? 'Socket Mode' : 'HTTP mode'}`, () => {
    test.concurrent('is reported at /livez and /readyz while all is well', async () => {
      await using world = await startWorld({ mode });
      expect(await ask(world, '/livez')).toEqual({ status: 200, body: { ok: true } });
      expect(await ask(world, '/readyz')).toEqual(allWell);
    });

    test.concurrent('is not ready while the store cannot be written, and well again after', async ({
      onTestFinished,
    }) => {
      await using world = await startWorld({ mode });
      await ask(world, '/readyz');
      const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
      onTestFinished(() => file.close());
      await file.execute(`create trigger fault before update on heartbeat
        begin select raise(abort, 'the disk is gone'); end`);
      expect(await ask(world, '/readyz')).toMatchObject({
        status: 503,
        body: { ok: false, checks: { store: expect.stringContaining('the disk is gone'), work: 'ok' } },
      });
      expect(await ask(world, '/livez')).toEqual({ status: 200, body: { ok: true } });
      await file.execute('drop trigger fault');
      expect(await ask(world, '/readyz')).toEqual(allWell);
    });
  });
}

describeWithLocalSlack('health without a Socket Mode connection', () => {
  test.concurrent('is bad at once, and well again with the next connection', async ({ onTestFinished }) => {
    await using world = await startWorld({ mode: 'socket' });
    const mended = Promise.withResolvers<void>();
    onTestFinished(() => mended.resolve());
    world.proxy.fail('apps.connections.open', { forwardAfter: mended.promise });
    world.proxy.socket.cut();
    const bad = await world.later(
      () => ask(world, '/readyz'),
      ({ status }) => status !== 200,
      'the program to notice',
    );
    expect(bad).toMatchObject({
      status: 503,
      body: {
        ok: false,
        checks: { store: 'ok', slack: expect.stringMatching(/^no Socket Mode connection for \d+ s$/) },
      },
    });
    expect(await ask(world, '/livez')).toEqual({ status: 200, body: { ok: true } });

    mended.resolve();
    await waitFor(
      () => ask(world, '/readyz'),
      ({ status }) => status === 200,
      { what: 'the program to connect again' },
    );
  });
});
