import { expect, test } from 'vitest';
import { contextFactory } from '../../../src/app/service.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { parse } from '../../support/settings.ts';

test('an id begins with the time at which it was made, in the characters that `status` shows', () => {
  const { newId } = contextFactory(systemClock, parse({}))();
  const beforeMs = Date.now();
  const start = newId().slice(0, 13);
  const madeAtMs = Number.parseInt(start.replace('-', ''), 16);
  expect(madeAtMs).toBeGreaterThanOrEqual(beforeMs);
  expect(madeAtMs).toBeLessThanOrEqual(Date.now());
});
