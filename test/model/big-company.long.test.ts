import { expect, test } from 'vitest';
import { share } from '../support/share.ts';
import { bigDay } from './day/big-day.ts';
import { play } from './day/play.ts';
import { reportOf } from './day/report.ts';

// It cannot be divided, and is for nightly runs, which play all shares.
test.skipIf(share.shares > 1)(
  'a day of a big company, with outages and a deploy: nothing is lost, doubled or out of order',
  {
    timeout: 1_800_000,
  },
  async () => {
    const day = bigDay();
    const played = await play(day);
    console.log(reportOf(day, played));
    expect(played.wrong).toEqual([]);
  },
);
