import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { examine } from '../../../src/doctor/examine.ts';
import { freePort } from '../../support/free-port.ts';
import { noFiles } from '../../support/settings.ts';
import { startProgram } from '../../support/strict-slack/program.ts';
import { one, startPatient } from './support.ts';

test('a port that is free is well', async () => {
  await using patient = await startPatient();
  patient.env.PORT = String(await freePort());
  expect(await patient.finding('listening')).toMatchObject({
    level: 'ok',
    subject: 'PORT',
    found: `127.0.0.1:${patient.env.PORT} is free`,
  });
});

test('a port that another program has is found', async () => {
  await using patient = await startPatient();
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  patient.env.HEALTH_PORT = String((other.address() as AddressInfo).port);
  expect(await patient.finding('listening', 'HEALTH_PORT')).toMatchObject({
    level: 'error',
    found: `127.0.0.1:${patient.env.HEALTH_PORT} is in use by another program`,
    next: 'Stop what uses it, or set HEALTH_PORT to another.',
  });
  other.closeAllConnections();
  other.close();
});

test('in Socket Mode with HEALTH_PORT no other port is opened, so another program may have it', async () => {
  await using patient = await startPatient();
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  patient.env.PORT = String((other.address() as AddressInfo).port);
  patient.env.HEALTH_PORT = String(await freePort());
  expect(await patient.finding('listening')).toMatchObject({ level: 'ok', subject: 'HEALTH_PORT' });
  other.closeAllConnections();
  other.close();
});

test('a recipe with a webhook opens PORT in Socket Mode, beside HEALTH_PORT', async () => {
  await using patient = await startPatient();
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  patient.configFile = `
projects: [{ id: acme-docs }]
recipes: [{ name: notes, channel: C0123456789, request: Go, webhook: { secret_env: HOOK_SECRET } }]`;
  patient.env.HOOK_SECRET = `whsec_${'A'.repeat(32)}`;
  patient.env.PORT = String((other.address() as AddressInfo).port);
  patient.env.HEALTH_PORT = String(await freePort());
  expect(await patient.finding('listening', 'PORT')).toMatchObject({
    level: 'error',
    found: `127.0.0.1:${patient.env.PORT} is in use by another program`,
  });
  other.closeAllConnections();
  other.close();
});

test.each([
  ['192.0.2.1', 'EADDRNOTAVAIL'],
  ['no-such-host.invalid', 'ENOTFOUND'],
])('an address that this machine does not have (%s) is found', async (host, _code) => {
  await using patient = await startPatient();
  patient.env.HOST = host;
  patient.env.PORT = String(await freePort());
  expect(await patient.finding('listening')).toMatchObject({
    level: 'error',
    found: expect.stringMatching(/^cannot listen on .* \(E[A-Z_]+\)$/),
    next: expect.stringContaining('HOST'),
  });
});

test('the running program is no reason to worry', async () => {
  await using program = await startProgram({ mode: 'http' });
  const config = parseConfig(program.env, noFiles);
  const findings = await examine(config, { clock: program.clock, timeoutMs: 5_000 });
  expect(one(findings, 'listening')).toMatchObject({
    level: 'ok',
    found: `127.0.0.1:${program.env.PORT} is in use by the running docs-agent`,
  });
});
