import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { scrape } from '../support/scraped.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const MAX_CONNECTIONS = 500;

/** As the program names them when it has started. */
function portsLogged({ log }: StrictWorld) {
  const started = log.map((line) => JSON.parse(line)).find(({ event }) => event === 'started');
  return Object.fromEntries(Object.entries(started).filter(([field]) => field.endsWith('port')));
}

const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

test('a listener of its own serves health and metrics, and the port of Slack nothing of it', async () => {
  await using world = await startStrictWorld({ mode: 'http', settings: { HEALTH_PORT: '0' } });
  const { port, healthPort } = world.service;
  expect(healthPort).not.toBe(port);
  for (const path of ['/livez', '/readyz', '/metrics']) {
    expect([await statusOf(healthPort, path), await statusOf(port, path)], path).toEqual([200, 404]);
  }
  await world.ask('Document the rate limits');
  await world.started('Document the rate limits');
});

test('health answers though somebody holds all connections to the port of Slack', async () => {
  await using world = await startStrictWorld({ mode: 'http', settings: { HEALTH_PORT: '0' } });
  const { port, healthPort } = world.service;
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
  await using world = await startStrictWorld({ settings: { HEALTH_PORT: '0', PORT } });
  expect(await statusOf(world.service.healthPort, '/readyz')).toBe(200);
  await expect(fetch(`http://127.0.0.1:${PORT}/livez`)).rejects.toThrow('fetch failed');
  expect(portsLogged(world)).toEqual({ health_port: world.service.healthPort });
});

test.each([
  ['http', { HEALTH_PORT: '0' }, ['port', 'health_port']],
  ['http', {}, ['port']],
  ['socket', {}, ['port']],
] as const)('the log names the ports that are open (%s, %o)', async (mode, settings, open) => {
  await using world = await startStrictWorld({ mode, settings });
  const { port, healthPort: health_port } = world.service;
  const ports = open.map((name) => [name, { port, health_port }[name]]);
  expect(portsLogged(world)).toEqual(Object.fromEntries(ports));
});

test('the port of Slack, named once more for health, is one listener', async () => {
  const port = String(await freePort());
  await using world = await startStrictWorld({ mode: 'http', settings: { HEALTH_PORT: port, PORT: port } });
  expect(world.service).toMatchObject({ port: Number(port), healthPort: Number(port) });
  expect(await statusOf(Number(port), '/readyz')).toBe(200);
  expect(await statusOf(Number(port), '/metrics')).toBe(200);
});

test('a port for health that is taken is named, with its setting', async () => {
  await using world = await startStrictWorld({ mode: 'http' });
  const settings = { HEALTH_PORT: String(world.service.port) };
  await expect(startStrictWorld({ settings })).rejects.toThrow(
    `Port ${world.service.port} on 127.0.0.1 is in use. Stop what uses it, or set HEALTH_PORT to another.`,
  );
});

test('a wrong signing secret shows: all is refused, and nothing genuine arrived', async () => {
  await using world = await startStrictWorld({
    mode: 'http',
    settings: { SLACK_SIGNING_SECRET: 'f'.repeat(32) },
  });
  const { service, slack } = world;
  await slack.control.command({ channel: 'C0GENERAL', user: 'U0ALICE', text: 'Explain it' }).catch(() => {});
  expect(await scrape(service)).toMatchObject({
    docs_agent_requests_refused_total: 1,
    docs_agent_last_slack_request_timestamp_seconds: 0,
  });
});

test('the last genuine request shows, and so does the version that runs', async () => {
  await using world = await startStrictWorld({ mode: 'http' });
  const startedAtS = Date.now() / 1000;
  await world.ask('Explain it');
  const series = await scrape(world.service);
  expect(series.docs_agent_last_slack_request_timestamp_seconds).toBeGreaterThanOrEqual(startedAtS);
  expect(series.docs_agent_requests_refused_total).toBe(0);
  expect(Object.keys(series)).toContain(
    `docs_agent_build_info{version="0.1.0",node="${process.versions.node}"}`,
  );
});
