import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { working } from './support/turns.ts';
import { startWorld } from './support/world.ts';

describeWithLocalSlack('the Socket Mode connection', () => {
  test('comes back by itself when a reconnect was refused and an administrator has mended it (E2)', async () => {
    await using world = await startWorld();
    expect((await world.service.readiness()).checks.slack).toBe('ok');
    world.proxy.fail('apps.connections.open', { error: 'invalid_auth' });
    world.proxy.socket.cut();
    await expect
      .poll(() => world.log.filter((line) => line.includes('socket_not_reopened')).length, {
        message: 'the refusal',
        timeout: 15_000,
      })
      .toBe(1);
    await world.clock.advance(30_000);
    await expect
      .poll(() => world.proxy.socket.connections(), { message: 'the next connection', timeout: 15_000 })
      .toBe(1);
    await working(world);
  });
});
