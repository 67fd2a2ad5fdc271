import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('the Socket Mode connection', () => {
  test('comes back by itself when a reconnect was refused and an administrator has mended it (E2)', async () => {
    await using world = await startWorld();
    expect((await world.service.readiness()).checks.slack).toBe('ok');
    world.proxy.fail('apps.connections.open', { error: 'invalid_auth' });
    world.proxy.socket.cut();
    await waitFor(
      () => world.log.filter((line) => line.includes('socket_not_reopened')).length,
      (count) => count === 1,
      { what: 'the refusal', timeoutMs: 15_000 },
    );
    await world.clock.advance(30_000);
    await waitFor(
      () => world.proxy.socket.connections(),
      (count) => count === 1,
      { what: 'the next connection', timeoutMs: 15_000 },
    );
    const root = await world.ask('Add a quickstart');
    await world.told(root, 'Working');
  });
});
