import { expect, test } from 'vitest';
import { readiness } from '../../src/operations/health.ts';

test('a program that has not begun its work, or has ended it, is not ready', async () => {
  expect(await readiness([])).toEqual({ ok: false, checks: {} });
});

test('every problem is told, and a check that throws is one', async () => {
  const checks = [
    { name: 'store', problem: () => Promise.reject(new Error('the disk is gone')) },
    { name: 'slack', problem: () => null },
    { name: 'work', problem: () => 'the send loop has ended' },
  ];
  expect(await readiness(checks)).toEqual({
    ok: false,
    checks: { store: 'the disk is gone', slack: 'ok', work: 'the send loop has ended' },
  });
});
