import { describe, expect, test } from 'vitest';
import { Reports } from '../../../src/features/reports/queries.ts';
import { slackTime } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { Recorded } from '../../../src/store/queries/operations.ts';
import type { Cursor } from '../../../src/store/queries/table.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aDecision, aFollowUp, aJob, NOW_MS } from './samples.ts';

const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 1_000 };

export function reportContract(open: OpenStore): void {
  describe('what reports count', () => {
    const opened = useStore(open);
    const write = (job: Partial<Job>, more = {}) =>
      opened.run((tx) => tx.write(aDecision({ job: aJob({ threadTs: null, ...job }), ...more }), NOW_MS));

    async function allJobs(limit: number, teamId: string | null = null): Promise<string[]> {
      const found: string[] = [];
      let after: Cursor | null = null;
      do {
        const page = await opened.run((tx) => tx.queries(Reports).jobs(PERIOD, teamId, after, limit));
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        found.push(...page.rows.map(({ job }) => job.id));
        after = page.next;
      } while (after !== null);
      return found;
    }

    test.each([1, 2, 100])('jobs come in the order of time, each once, %i at a time', async (limit) => {
      for (const id of ['c', 'a', 'b']) await write({ id, requestedAtMs: NOW_MS + 5 });
      await write({ id: 'too early', requestedAtMs: NOW_MS - 1 });
      await write({ id: 'first', requestedAtMs: NOW_MS });
      await write({ id: 'last', requestedAtMs: NOW_MS + 999 });
      await write({ id: 'too late', requestedAtMs: NOW_MS + 1_000 });
      expect(await allJobs(limit)).toEqual(['first', 'a', 'b', 'c', 'last']);
    });

    test('only those of one workspace, if it is named', async () => {
      await write({ id: 'ours' });
      await write({ id: 'theirs', teamId: 'T2' });
      expect(await allJobs(10, 'T1')).toEqual(['ours']);
    });

    test('a job with a pull request comes with its creates and announcements, in their order', async () => {
      const announcement = { kind: 'started' } as const;
      const calls = [
        aCreateCall('create'),
        aCall('card'),
        aCall('news', { request: { kind: 'announce', announcement } }),
      ];
      await write({ id: 'with', announcedPrLink: 'https://example.com/pull/1' }, { calls });
      await write({ id: 'without' }, { calls: [aCreateCall('other')] });
      const { rows } = await opened.run((tx) => tx.queries(Reports).jobs(PERIOD, null, null, 10));
      expect(rows.map(({ job, calls: read }) => [job.id, read.map(({ request }) => request.kind)])).toEqual([
        ['with', ['create_job', 'announce']],
        ['without', []],
      ]);
    });

    test('a job comes with the number of its replies of unknown fate', async () => {
      const followUps = (['unknown', 'sent', 'not_sent', 'waiting', 'unknown'] as const).map((state, index) =>
        aFollowUp({ id: `reply-${index}`, jobId: 'job-1', messageTs: `170000000${index}.000100`, state }),
      );
      await write({ id: 'job-1' }, { followUps });
      const { rows } = await opened.run((tx) => tx.queries(Reports).jobs(PERIOD, null, null, 10));
      expect(rows.map(({ unclearReplies }) => unclearReplies)).toEqual([2]);
    });

    test.each([1, 100])('older jobs that were started again come once, %i at a time', async (limit) => {
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
      const found = async (teamId: string | null) => {
        const ids: string[] = [];
        let after: Cursor | null = null;
        do {
          const page = await opened.run((tx) =>
            tx.queries(Reports).startedAgain(PERIOD, teamId, after, limit),
          );
          ids.push(...page.rows.map(({ job }) => job.id));
          after = page.next;
        } while (after !== null);
        return ids;
      };
      expect(await found(null)).toEqual(['a', 'b', 'theirs']);
      expect(await found('T1')).toEqual(['a', 'b']);
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
      const { rows } = await opened.run((tx) => tx.queries(Reports).startedAgain(PERIOD, null, null, 10));
      expect(rows.map(({ unclearReplies }) => unclearReplies)).toEqual([2]);
    });

    test.each([1, 100])('the calls to the agent come by project, %i at a time', async (limit) => {
      const made = [NOW_MS + 7, NOW_MS + 7, NOW_MS - 1, NOW_MS + 3, NOW_MS + 1_000];
      const calls = made.map((_, index) => aCreateCall(`call-${index}`));
      await write({ id: 'job-1' }, { calls: [...calls, aCreateCall('waits'), aCall('post')] });
      await write({ id: 'job-2', projectId: 'other' }, { calls: [aCreateCall('elsewhere')] });
      for (const [index, atMs] of made.entries())
        await opened.run((tx) => tx.calls.start(`call-${index}`, atMs));
      await opened.run((tx) => tx.calls.start('post', NOW_MS + 1));
      expect(await opened.run((tx) => tx.queries(Reports).projects())).toEqual(['docs', 'other']);
      const found: number[] = [];
      let after: Cursor | null = null;
      do {
        const page = await opened.run((tx) => tx.queries(Reports).agentCalls('docs', PERIOD, after, limit));
        found.push(...page.rows);
        after = page.next;
      } while (after !== null);
      expect(found).toEqual([NOW_MS + 3, NOW_MS + 7, NOW_MS + 7]);
    });
  });
}
