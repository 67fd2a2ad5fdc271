import { describe, expect, test } from 'vitest';
import { Reports } from '../../../src/features/reports/queries.ts';
import type { Recorded } from '../../../src/store/queries/operations.ts';
import type { Cursor } from '../../../src/store/queries/table.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aFollowUp, aJob, NOW_MS } from './samples.ts';

const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 10_000 };
const press: Recorded = {
  ...{ atMs: NOW_MS, teamId: 'T1', userId: 'U1', action: 'press', source: 'start_again' },
  ...{ jobId: 'job-1', outcome: 'accepted' },
};

export function auditContract(open: OpenStore): void {
  describe('what audits read', () => {
    const opened = useStore(open);
    const record = (id: string, fields: Partial<Recorded> = {}) =>
      opened.run((tx) => tx.audit.record({ ...press, ...fields }, id));

    test.each([1, 2, 100])(
      'what was recorded comes in the order of time, each once, %i at a time',
      async (limit) => {
        await record('b', { source: 'second' });
        await record('a', { source: 'first' });
        await record('c', { atMs: NOW_MS + 9_999, source: 'last', jobId: null });
        await record('d', { atMs: NOW_MS + 10_000, source: 'too late' });
        await record('e', { atMs: NOW_MS - 1, source: 'too early' });
        const found: Recorded[] = [];
        let after: Cursor | null = null;
        do {
          const page = await opened.run((tx) => tx.queries(Reports).recorded(PERIOD, after, limit));
          found.push(...page.rows);
          after = page.next;
        } while (after !== null);
        expect(found).toEqual([
          { ...press, source: 'first' },
          { ...press, source: 'second' },
          { ...press, atMs: NOW_MS + 9_999, source: 'last', jobId: null },
        ]);
      },
    );

    test.each([1, 100])(
      'replies come in the order in which they were written, %i at a time',
      async (limit) => {
        const at = { '1700000003.000200': 'b', '1700000003.000100': 'a', '1700000012.000000': 'too late' };
        const followUps = Object.entries(at).map(([messageTs, text]) =>
          aFollowUp({ id: `reply-${text}`, messageTs, text, state: 'sent' }),
        );
        await opened.run((tx) => tx.write(aDecision({ job: aJob(), followUps }), NOW_MS));
        const found: unknown[] = [];
        let after: Cursor | null = null;
        do {
          const page = await opened.run((tx) => tx.queries(Reports).replies(PERIOD, after, limit));
          found.push(...page.rows);
          after = page.next;
        } while (after !== null);
        const reply = {
          teamId: 'T1',
          userId: 'U1',
          jobId: 'job-1',
          ...{ action: 'reply', source: 'thread', outcome: 'sent' },
          atMs: NOW_MS + 3_000,
        };
        expect(found).toEqual([
          { ...reply, text: 'a' },
          { ...reply, text: 'b' },
        ]);
      },
    );

    test('what was recorded is deleted when it is as old as deleted jobs, a batch at a time', async () => {
      for (const [index, atMs] of [NOW_MS - 2, NOW_MS - 1, NOW_MS].entries())
        await record(`entry-${index}`, { atMs });
      const prune = () => opened.run((tx) => tx.retention.pruneTraces(NOW_MS, 1, NOW_MS));
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(0);
      const { rows } = await opened.run((tx) =>
        tx.queries(Reports).recorded({ sinceMs: 0, untilMs: NOW_MS + 1 }, null, 10),
      );
      expect(rows).toEqual([press]);
    });
  });
}
