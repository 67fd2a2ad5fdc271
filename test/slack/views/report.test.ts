import { expect, test } from 'vitest';
import type { Report } from '../../../src/jobs/report/report.ts';
import { sources } from '../../../src/jobs/report/source.ts';
import { ends } from '../../../src/jobs/report/starts.ts';
import { reportView } from '../../../src/slack/views/report.ts';
import { expectSafe } from './support/expect-safe.ts';

const counts = <Name extends string>(names: readonly Name[], count: number) =>
  Object.fromEntries(names.map((name) => [name, count])) as Record<Name, number>;

function aReport(count: number, seconds: number | null): Report {
  return {
    since: '2026-11-16T09:00:00.000Z',
    until: '2026-11-23T09:00:00.000Z',
    starts: { total: count * sources.length, by_source: counts(sources, count) },
    ends: counts(ends, count),
    unclear: { starts: count, replies: count },
    open: count,
    pull_requests: counts(['open', 'merged', 'closed', 'unknown'], count),
    seconds_to_pull_request: { median: seconds, p90: seconds },
    budget: { peak_per_hour: count, limit: 100 },
  };
}

test('a report says what there is, in one line each (L4)', () => {
  expect(reportView(aReport(1, 412)).text).toMatchInlineSnapshot(`
    "📊 *docs-agent* from <!date^1794819600^{date_short_pretty} {time}|2026-11-16 09:00 UTC> to <!date^1795424400^{date_short_pretty} {time}|2026-11-23 09:00 UTC>
    *11 starts:* 1 by command · 1 by form · 1 by mention · 1 by direct message · 1 by the message menu · 1 from Home · 1 by emoji · 1 by workflow · 1 by schedule · 1 by webhook · 1 started again
    *What became of them:* 1 with a pull request · 1 done without a pull request · 1 failed · 1 not accepted · 1 no longer known to the agent · 1 archived · 1 unclear · 1 still open
    ❓ 1 reply that couldn't be confirmed
    *Pull requests:* 1 merged · 1 open · 1 closed without merging · 1 not followed
    *From request to pull request:* half within 6 min, nine of ten within 6 min
    *Busiest hour:* 1 of 100 calls to the agent
    Whoever runs docs-agent gets other periods, CSV and JSON from \`docs-agent report\` on the machine."
  `);
  expectSafe(reportView(aReport(999_999, 1_000_000)), {});
});

test('a report says nothing of what there is not (L4)', () => {
  expect(reportView(aReport(0, null)).text).toMatchInlineSnapshot(`
    "📊 *docs-agent* from <!date^1794819600^{date_short_pretty} {time}|2026-11-16 09:00 UTC> to <!date^1795424400^{date_short_pretty} {time}|2026-11-23 09:00 UTC>
    *No starts*
    *Busiest hour:* 0 of 100 calls to the agent
    Whoever runs docs-agent gets other periods, CSV and JSON from \`docs-agent report\` on the machine."
  `);
});
