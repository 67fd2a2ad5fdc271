import { expect, test } from 'vitest';
import { share } from '../support/share.ts';
import { play } from './day/play.ts';
import { smallDay } from './day/small-day.ts';

// It cannot be divided.
test.skipIf(share.number > 1)(
  'a day of 40 jobs and 120 replies, with faults, outages and restarts: nothing is lost or doubled',
  {
    timeout: 900_000,
  },
  async () => {
    expect((await play(smallDay())).wrong).toEqual([]);
  },
);
