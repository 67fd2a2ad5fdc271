import { expect, test } from 'vitest';
import { share } from '../support/share.ts';
import { playBigDay } from './day/play.ts';

// It cannot be divided, and is for nightly runs, which play all shares.
test.skipIf(share.shares > 1)(
  'a day of a big company, with outages and a deploy: nothing is lost, doubled or out of order',
  {
    timeout: 1_800_000,
  },
  async () => {
    expect(await playBigDay()).toEqual([]);
  },
);
