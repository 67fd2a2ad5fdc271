import { expect, test } from 'vitest';
import { clockFindings } from '../../../src/doctor/machine.ts';
import { clockAheadMs } from '../../../src/runtime/clock.ts';
import { startPatient } from './support.ts';

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
