import { describe, expect, test } from 'vitest';
import { readAudit } from '../../../src/features/reports/audit.ts';
import { Reports } from '../../../src/features/reports/queries.ts';
import type { Recorded } from '../../../src/store/queries/operations.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aFollowUp, aJob, NOW_MS } from './samples.ts';

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

    test('what was recorded comes in the order of time, each once', async () => {
      await record('b', { source: 'second' });
      await record('a', { source: 'first' });
      await record('c', { atMs: NOW_MS + 9_999, source: 'last', jobId: null });
      await record('d', { atMs: NOW_MS + 10_000, source: 'too late' });
      await record('e', { atMs: NOW_MS - 1, source: 'too early' });
      expect(await opened.run((tx) => tx.queries(Reports).recorded(PERIOD))).toEqual([
        { ...press, source: 'first' },
        { ...press, source: 'second' },
        { ...press, atMs: NOW_MS + 9_999, source: 'last', jobId: null },
      ]);
    });

    test('replies come in the order in which they were written', async () => {
      const at = { '1700000003.000200': 'b', '1700000003.000100': 'a', '1700000012.000000': 'too late' };
      const followUps = Object.entries(at).map(([messageTs, text]) =>
        aFollowUp({ id: `reply-${text}`, messageTs, text, state: 'sent' }),
      );
      await opened.write({ job: aJob(), followUps });
      const reply = {
        teamId: 'T1',
        userId: 'U1',
        jobId: 'job-1',
        ...{ action: 'reply', source: 'thread', outcome: 'sent' },
        atMs: NOW_MS + 3_000,
      };
      expect(await opened.run((tx) => tx.queries(Reports).replies(PERIOD))).toEqual([
        { ...reply, text: 'a' },
        { ...reply, text: 'b' },
      ]);
    });

    test('an audit is in the order of time, slice by slice', async () => {
      const HOURS = 3_600_000;
      for (const hours of [7, 0, 4]) {
        const requestedAtMs = NOW_MS + hours * HOURS;
        await opened.write({ job: aJob({ id: `${hours}`, threadTs: null, requestedAtMs }) });
        await record(`${hours}`, { atMs: requestedAtMs + 1 });
      }
      const period = { sinceMs: NOW_MS, untilMs: NOW_MS + 7 * HOURS + 1 };
      const actions = await opened.run(async (tx) => {
        const found: string[] = [];
        for await (const { at, action } of readAudit(tx.queries(Reports), period, false))
          found.push(`${action} ${Math.floor((Date.parse(at) - NOW_MS) / HOURS)}`);
        return found;
      });
      expect(actions).toEqual(['start 0', 'press 0', 'start 4', 'press 4', 'start 7']);
    });

    test('what was recorded is deleted when it is as old as deleted jobs, a batch at a time', async () => {
      for (const [index, atMs] of [NOW_MS - 2, NOW_MS - 1, NOW_MS].entries())
        await record(`entry-${index}`, { atMs });
      const prune = () => opened.run((tx) => tx.retention.pruneTraces(NOW_MS, 1, NOW_MS));
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(1);
      expect(await prune()).toBe(0);
      const period = { sinceMs: 0, untilMs: NOW_MS + 1 };
      expect(await opened.run((tx) => tx.queries(Reports).recorded(period))).toEqual([press]);
    });
  });
}
