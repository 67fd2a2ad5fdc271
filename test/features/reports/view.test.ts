import { expect, test } from 'vitest';
import { type LeftToDo, type Report, sources, WAITING_MAX } from '../../../src/features/reports/report.ts';
import { reportView } from '../../../src/features/reports/view.ts';
import { ends } from '../../../src/jobs/announcement.ts';
import { PUBLIC_SITES } from '../../../src/jobs/pull-requests/link.ts';
import { expectSafe } from '../../slack/views/support/expect-safe.ts';

const DAY_MS = 86_400_000;
const nowMs = Date.parse('2026-11-23T09:00:00.000Z');
const reader = { workspaceUrl: 'https://acme.slack.com/', sites: PUBLIC_SITES, zone: 'UTC', nowMs };
const nothing: LeftToDo = { unclear: null, waitingForReview: [] };

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

const waitingSince = (days: number, number: number) => ({
  url: `https://github.com/acme/docs/pull/${number}`,
  sinceMs: nowMs - days * DAY_MS,
});

test('a report says what came of the requests, how long it took, and what is left to do (L4)', () => {
  const leftToDo = {
    unclear: { channelId: 'C1', threadTs: '1795183500.000100' },
    waitingForReview: [waitingSince(3, 14), waitingSince(1, 15), waitingSince(0, 16)],
  };
  expect(reportView({ report: aReport(1, 412), leftToDo }, reader).text).toMatchInlineSnapshot(`
    "📊 *docs-agent* · Nov 16 – 23
    *11 requests* → 1 pull request → 1 merged
    1 failed · 1 rejected · 1 without changes · 1 no longer known to the agent · 1 archived · 1 running · 1 reply unclear · 1 unclear → <https://acme.slack.com/archives/C1/p1795183500000100|Open it>
    Time to pull request: median 6 min, 90% within 6 min
    Waiting for review: <https://github.com/acme/docs/pull/14|acme/docs#14> (3 days), <https://github.com/acme/docs/pull/15|acme/docs#15> (1 day), <https://github.com/acme/docs/pull/16|acme/docs#16> (today)
    Operators: run \`docs-agent report\` on the server for the rest."
  `);
  const many = Array.from({ length: WAITING_MAX + 1 }, (_, days) => waitingSince(days, days));
  const most = { ...leftToDo, waitingForReview: many };
  const shown = reportView({ report: aReport(999_999, 1_000_000), leftToDo: most }, reader);
  expect(shown.text).toMatch(/acme\/docs#4> \(4 days\), …\n/);
  const threadUrl = 'https://acme.slack.com/archives/C1/p1795183500000100';
  expectSafe(shown, { named: [threadUrl, ...many.map(({ url }) => url)] });
});

test('the days of a report are those of its time zone, also where the month ends (L4)', () => {
  const report = {
    ...aReport(0, null),
    since: '2026-11-29T23:00:00.000Z',
    until: '2026-12-06T23:00:00.000Z',
  };
  const title = (zone: string) =>
    reportView({ report, leftToDo: nothing }, { ...reader, zone }).text.split('\n')[0];
  expect(title('UTC')).toBe('📊 *docs-agent* · Nov 29 – Dec 6');
  expect(title('Europe/Berlin')).toBe('📊 *docs-agent* · Nov 30 – Dec 7');
});

test('no thread of a direct message is linked in a report (N1)', () => {
  const leftToDo = { ...nothing, unclear: { channelId: 'D1', threadTs: '1795183500.000100' } };
  expect(reportView({ report: aReport(1, null), leftToDo }, reader).text).not.toContain('Open it');
});
