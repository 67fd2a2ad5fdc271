import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { examine } from '../../../src/doctor/examine.ts';
import { clockFindings } from '../../../src/doctor/machine.ts';
import { clockAheadMs } from '../../../src/runtime/clock.ts';
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

const inUse = (port: string | undefined) => `127.0.0.1:${port} is in use by another program`;

/** A port that another program has, until the test ends. */
async function takenPort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  return String((other.address() as AddressInfo).port);
}

test('a port that another program has is found', async () => {
  await using patient = await startPatient();
  patient.env.HEALTH_PORT = await takenPort();
  expect(await patient.finding('listening', 'HEALTH_PORT')).toMatchObject({
    level: 'error',
    found: inUse(patient.env.HEALTH_PORT),
    next: 'Stop what uses it, or set HEALTH_PORT to another.',
  });
});

test('in Socket Mode, PORT is opened beside HEALTH_PORT only if a recipe has a webhook', async () => {
  await using patient = await startPatient();
  patient.env.PORT = await takenPort();
  patient.env.HEALTH_PORT = String(await freePort());
  expect(await patient.finding('listening')).toMatchObject({ level: 'ok', subject: 'HEALTH_PORT' });
  patient.configFile = `
projects: [{ id: acme-docs }]
recipes: [{ name: notes, channel: C0123456789, request: Go, webhook: { secret_env: HOOK_SECRET } }]`;
  patient.env.HOOK_SECRET = `whsec_${'A'.repeat(32)}`;
  expect(await patient.finding('listening', 'PORT')).toMatchObject({
    level: 'error',
    found: inUse(patient.env.PORT),
  });
});

test.each(['192.0.2.1', 'no-such-host.invalid'])(
  'an address that this machine does not have (%s) is found',
  async (host) => {
    await using patient = await startPatient();
    patient.env.HOST = host;
    patient.env.PORT = String(await freePort());
    expect(await patient.finding('listening')).toMatchObject({
      level: 'error',
      found: expect.stringMatching(/^cannot listen on .* \(E[A-Z_]+\)$/),
      next: expect.stringContaining('HOST'),
    });
  },
);

test('the running program is no reason to worry', async () => {
  await using program = await startProgram({ mode: 'http' });
  const config = parseConfig(program.env, noFiles);
  const findings = await examine(config, { clock: program.clock, timeoutMs: 5_000 });
  expect(one(findings, 'listening')).toMatchObject({
    level: 'ok',
    found: `127.0.0.1:${program.env.PORT} is in use by the running docs-agent`,
  });
});

const sent = Date.parse('2026-11-20T12:00:10.400Z');
const at = (date: string, tookMs: number) =>
  clockAheadMs(date, { sentAtMs: sent, answeredAtMs: sent + tookMs });

test('a clock is right as long as the way of the answer explains the difference', () => {
  expect(at('Fri, 20 Nov 2026 12:00:10 GMT', 100)).toBe(0);
  expect(at('Fri, 20 Nov 2026 12:00:15 GMT', 9_000)).toBe(0);
  expect(at('Fri, 20 Nov 2026 12:00:15 GMT', 600)).toBe(-4_000);
  expect(at('Fri, 20 Nov 2026 12:00:00 GMT', 600)).toBe(9_400);
  expect(at('soon', 600)).toBeNull();
  expect(clockAheadMs(null, { sentAtMs: 0, answeredAtMs: 0 })).toBeNull();
});

test.each([
  [4_000, false, 'ok'],
  [-6_000, false, 'warning'],
  [44_000, false, 'warning'],
  [-46_000, false, 'error'],
  // Two replicas may differ by 15 s.
  [7_000, true, 'warning'],
  [-8_000, true, 'error'],
])('%i ms away from Slack, with replicas: %s', (slack, hasReplicas, level) => {
  expect(clockFindings(slack, hasReplicas)).toMatchObject([{ level }]);
});

test('a clock that is far from Slack', async () => {
  await using patient = await startPatient();
  patient.slackClock.aheadMs = 120_000;
  const finding = await patient.finding('clock', 'against Slack');
  expect(finding.level).toBe('error');
  expect(finding.found).toMatch(/^this machine is 1[12]\d s behind$/);
  expect(finding.next).toContain('NTP');
});
