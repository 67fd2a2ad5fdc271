import { describe, expect, test } from 'vitest';
import { Reports } from '../../../src/features/reports/queries.ts';
import type { CountedJob } from '../../../src/features/reports/report.ts';
import { slackTime } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { Recorded } from '../../../src/store/queries/operations.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aFollowUp, aJob, NOW_MS } from './samples.ts';

const HOUR_MS = 3_600_000;
const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 1_000 };

export function reportContract(open: OpenStore): void {
  describe('what reports count', () => {
    const opened = useStore(open);
    const write = (job: Partial<Job>, more = {}) =>
      opened.write({ job: aJob({ threadTs: null, ...job }), ...more });

    const jobs = (teamId: string | null = null) =>
      opened.run((tx) => tx.queries(Reports).jobs(PERIOD, teamId));
    const startedAgain = (teamId: string | null = null) =>
      opened.run((tx) => tx.queries(Reports).startedAgain(PERIOD, teamId));
    const idsIn = (counted: readonly CountedJob[]) => counted.map(({ job }) => job.id);

    test('jobs come in the order of time, each once', async () => {
      for (const id of ['c', 'a', 'b']) await write({ id, requestedAtMs: NOW_MS + 5 });
      await write({ id: 'too early', requestedAtMs: NOW_MS - 1 });
      await write({ id: 'first', requestedAtMs: NOW_MS });
      await write({ id: 'last', requestedAtMs: NOW_MS + 999 });
      await write({ id: 'too late', requestedAtMs: NOW_MS + 1_000 });
      expect(idsIn(await jobs())).toEqual(['first', 'a', 'b', 'c', 'last']);
    });

    test('only those of one workspace, if it is named', async () => {
      await write({ id: 'ours' });
      await write({ id: 'theirs', teamId: 'T2' });
      expect(idsIn(await jobs('T1'))).toEqual(['ours']);
    });

    test('jobs come with their creates and announcements, in their order', async () => {
      const announcement = { kind: 'started' } as const;
      const calls = [
        aCreateCall('create'),
        aCall('card'),
        aCall('news', { request: { kind: 'announce', announcement } }),
      ];
      await write({ id: 'with', announcedPrLink: 'https://example.com/pull/1' }, { calls });
      await write({ id: 'without' }, { calls: [aCreateCall('other')] });
      expect(
        (await jobs()).map(({ job, calls: read }) => [job.id, read.map(({ request }) => request.kind)]),
      ).toEqual([
        ['with', ['create_job', 'announce']],
        ['without', ['create_job']],
      ]);
    });

    test('a job comes with the number of its replies of unknown fate', async () => {
      const followUps = (['unknown', 'sent', 'not_sent', 'waiting', 'unknown'] as const).map((state, index) =>
        aFollowUp({ id: `reply-${index}`, jobId: 'job-1', messageTs: `170000000${index}.000100`, state }),
      );
      await write({ id: 'job-1' }, { followUps });
      expect((await jobs()).map(({ unclearReplies }) => unclearReplies)).toEqual([2]);
    });

    test('older jobs that were started again come once', async () => {
      const older = { requestedAtMs: NOW_MS - 1, creates: 2 };
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await write({ id, ...older });
      await write({ id: 'theirs', ...older, teamId: 'T2' });
      await write({ id: 'young', creates: 2 });
      const press = (jobId: string | null, fields: Partial<Recorded> = {}) =>
        opened.run((tx) => {
          const who = { atMs: NOW_MS, teamId: 'T1', userId: 'U1', action: 'press' } as const;
          const entry = { ...who, source: 'start_again', jobId, outcome: 'accepted', ...fields };
          return tx.audit.record(entry, `${jobId} ${JSON.stringify(fields)}`);
        });
      await press('b');
      await press('b', { atMs: NOW_MS + 999 });
      await press('a', { source: 'edit_and_start' });
      await press('theirs');
      await press('young');
      await press('c', { atMs: NOW_MS - 1 });
      await press('d', { atMs: NOW_MS + 1_000 });
      await press('e', { outcome: 'too_late' });
      await press('f', { source: 'send_again' });
      await press(null);
      expect(idsIn(await startedAgain())).toEqual(['a', 'b', 'theirs']);
      expect(idsIn(await startedAgain('T1'))).toEqual(['a', 'b']);
    });

    test('an older job comes with its replies of unknown fate since the period began', async () => {
      const at = [NOW_MS - 1, NOW_MS, NOW_MS + 1];
      const followUps = at.map((atMs, index) =>
        aFollowUp({ id: `reply-${index}`, jobId: 'job-1', messageTs: slackTime(atMs), state: 'unknown' }),
      );
      await write({ id: 'job-1', requestedAtMs: NOW_MS - 1, creates: 2 }, { followUps });
      await opened.run((tx) =>
        tx.audit.record(
          {
            ...{ atMs: NOW_MS, teamId: 'T1', userId: 'U1', action: 'press', source: 'start_again' },
            ...{ jobId: 'job-1', outcome: 'accepted' },
          },
          'press',
        ),
      );
      expect((await startedAgain()).map(({ unclearReplies }) => unclearReplies)).toEqual([2]);
    });

    /** Jobs of a project, with a call to the agent at each of these times. */
    async function callAt(projectId: string, times: readonly number[]) {
      const calls = times.map((_, index) => aCreateCall(`${projectId}-${index}`));
      await write({ id: `job-of-${projectId}`, projectId }, { calls });
      for (const [index, { id }] of calls.entries())
        await opened.run((tx) => tx.calls.start(id, times[index] ?? 0));
    }

    const busiestHour = (projectIds: readonly string[] | null, untilMs = PERIOD.untilMs) =>
      opened.run((tx) => tx.queries(Reports).busiestHour({ ...PERIOD, untilMs }, projectIds));

    test('the busiest hour is that of one project, and counts the calls of the period to the agent', async () => {
      expect(await busiestHour(null)).toBe(0);
      await callAt('docs', [NOW_MS + 7, NOW_MS + 7, NOW_MS - 1, NOW_MS + 3, NOW_MS + 1_000]);
      await callAt('other', [NOW_MS, NOW_MS + 999]);
      const waits = [aCreateCall('waits'), aCall('post')];
      await write({ id: 'waiting', projectId: 'docs' }, { calls: waits });
      await opened.run((tx) => tx.calls.start('post', NOW_MS + 1));
      expect(await busiestHour(null)).toBe(3);
      expect(await busiestHour(['docs', 'other'])).toBe(3);
      expect(await busiestHour(['other'])).toBe(2);
    });

    test('calls an hour apart are not in the same hour', async () => {
      await callAt('docs', [NOW_MS, NOW_MS + HOUR_MS]);
      expect(await busiestHour(['docs'], NOW_MS + 2 * HOUR_MS)).toBe(1);
    });

    test('the peak is the most calls of any 60 minutes', async () => {
      const times = fc.array(fc.integer({ min: 0, max: 10 * HOUR_MS }), { maxLength: 40 });
      let projects = 0;
      await fc.assert(
        fc.asyncProperty(times, async (afterMs) => {
          projects += 1;
          const projectId = `project-${projects}`;
          await callAt(
            projectId,
            afterMs.map((each) => NOW_MS + each),
          );
          const inHourUpTo = (end: number) =>
            afterMs.filter((each) => each <= end && each > end - HOUR_MS).length;
          const most = Math.max(0, ...afterMs.map(inHourUpTo));
          expect(await busiestHour([projectId], NOW_MS + 11 * HOUR_MS)).toBe(most);
        }),
        { numRuns: 10 },
      );
    });
  });
}
