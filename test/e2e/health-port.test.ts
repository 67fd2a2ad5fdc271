import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { scrape } from '../support/scraped.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

const MAX_CONNECTIONS = 500;

const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

/** A program, and its ports as it names them when it has started. */
async function start(options: ProgramOptions) {
  const world = await startStrictWorld(options);
  const line = world.log.map((text) => JSON.parse(text)).find(({ event }) => event === 'started');
  const ports = Object.fromEntries(Object.entries(line).filter(([field]) => field.endsWith('port')));
  return Object.assign(world, { ports });
}

test('a listener of its own serves health and metrics, also though somebody holds all connections to the port of Slack', async () => {
  await using world = await start({ mode: 'http', settings: { HEALTH_PORT: '0' } });
  const { port, healthPort } = world.service;
  expect(healthPort).not.toBe(port);
  expect(world.ports).toEqual({ port, health_port: healthPort });
  for (const path of ['/livez', '/readyz', '/metrics']) {
    expect([await statusOf(healthPort, path), await statusOf(port, path)], path).toEqual([200, 404]);
  }
  await world.ask('Document the rate limits');
  await world.started('Document the rate limits');
  await using held = new AsyncDisposableStack();
  const open: Socket[] = Array.from({ length: MAX_CONNECTIONS + 5 }, () =>
    held.adopt(
      connect(port, '127.0.0.1').on('error', () => {}),
      (socket) => void socket.destroy(),
    ),
  );
  const closed = () => open.filter((socket) => socket.closed).length;
  await expect
    .poll(closed, { message: 'the connections that are too many to be closed' })
    .toBeGreaterThanOrEqual(5);
  expect(await statusOf(healthPort, '/livez')).toBe(200);
});

test('in Socket Mode no other port is open', async () => {
  const PORT = String(await freePort());
  await using world = await start({ settings: { HEALTH_PORT: '0', PORT } });
  expect(await statusOf(world.service.healthPort, '/readyz')).toBe(200);
  await expect(fetch(`http://127.0.0.1:${PORT}/livez`)).rejects.toThrow('fetch failed');
  expect(world.ports).toEqual({ health_port: world.service.healthPort });
});

test('the port of Slack, named once more for health, is one listener; one that is taken is named, with its setting', async () => {
  const port = await freePort();
  const ports = { HEALTH_PORT: String(port), PORT: String(port) };
  await using world = await start({ mode: 'http', settings: ports });
  expect(world.service).toMatchObject({ port, healthPort: port });
  for (const path of ['/readyz', '/metrics']) expect(await statusOf(port, path)).toBe(200);
  await expect(start({ settings: { HEALTH_PORT: String(port) } })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use. Stop what uses it, or set HEALTH_PORT to another.`,
  );
});

test('the last genuine request shows, and the version that runs; a wrong signing secret, too: all is refused', async () => {
  const REFUSED = 'docs_agent_requests_refused_total';
  const LAST = 'docs_agent_last_slack_request_timestamp_seconds';
  await using world = await start({ mode: 'http' });
  expect(world.ports).toEqual({ port: world.service.port });
  const startedAtS = Date.now() / 1000;
  await world.ask('Explain it');
  const series = await scrape(world.service);
  expect(series[LAST]).toBeGreaterThanOrEqual(startedAtS);
  expect(series[REFUSED]).toBe(0);
  expect(Object.keys(series)).toContain(
    `docs_agent_build_info{version="0.1.0",node="${process.versions.node}"}`,
  );
  await using wrong = await start({ mode: 'http', settings: { SLACK_SIGNING_SECRET: 'f'.repeat(32) } });
  await wrong.command('Explain it').catch(() => {});
  expect(await scrape(wrong.service)).toMatchObject({ [REFUSED]: 1, [LAST]: 0 });
});
