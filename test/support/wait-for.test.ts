import { expect, test } from 'vitest';
import { waitFor } from './wait-for.ts';

test('waits through errors and wrong values for the right one', async () => {
  const values = [new Error('not up yet'), 1, 2, 3];
  const read = () => {
    const value = values.shift();
    if (value instanceof Error) throw value;
    return value;
  };

  expect(await waitFor(read, (value) => value === 3, { what: 'three' })).toBe(3);
});

test('gives up saying what it waited for and what it saw last', async () => {
  const waiting = waitFor(
    () => ({ status: 'active' }),
    ({ status }) => status === 'completed',
    { what: 'the end', timeoutMs: 0 },
  );

  await expect(waiting).rejects.toThrow("waited in vain for the end; last seen: { status: 'active' }");
});
