import { describe, expect, test } from 'vitest';
import type { NewCall } from '../../../src/jobs/call.ts';
import type { Decision } from '../../../src/jobs/decide/decision-builder.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import { fc } from '../../support/properties.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aFollowUp, aJob, NOW_MS } from './samples.ts';

const OLD_MS = NOW_MS - 1_000;
const DAY_MS = 86_400_000;
const ended: Stage = { kind: 'ended', status: 'completed', sinceMs: 0 };
const working: Stage = { kind: 'working', turnStartedAtMs: OLD_MS, settle: null };

const draft = { number: 1, thread: null, messages: [], postTs: null };
const stages: readonly Stage[] = [
  { kind: 'awaiting_confirmation', sameAsJobId: 'job-0', thread: null },
  { kind: 'draft', ...draft },
  { kind: 'dropped', why: 'expired', byUserId: null, number: 1, formerThreadTs: null },
  { kind: 'opening' },
  { kind: 'card_failed', reason: 'not_in_channel', thread: null },
  { kind: 'creating' },
  { kind: 'create_unknown', callId: 'call-0', sinceMs: 0 },
  { kind: 'rejected', message: 'no' },
  working,
  ended,
];
const OVER = ['awaiting_confirmation', 'dropped', 'card_failed', 'rejected', 'ended'];

export function retentionContract(open: OpenStore): void {
  describe('retention', () => {
    const opened = useStore(open);
    const write = (fields: Partial<Decision>, nowMs = OLD_MS) => opened.write(fields, nowMs);
    const settle = (callId: string, atMs = OLD_MS) =>
      opened.run((tx) => tx.calls.recordOutcome(callId, { state: 'done', detail: null }, atMs));
    const oldJob = (fields: Partial<Job> = {}) => aJob({ requestedAtMs: OLD_MS, stage: ended, ...fields });
    const prune = async (limit = 2) => {
      let total = 0;
      for (let pruned = 1; pruned > 0; total += pruned)
        pruned = await opened.run((tx) => tx.retention.pruneJobs(NOW_MS, limit, NOW_MS));
      return total;
    };
    const exists = (id: string) => opened.run(async (tx) => (await tx.jobs.get(id)) !== null);

    test('a job that is over and old goes with its replies and calls, and leaves its thread as a past one', async () => {
      const job = oldJob();
      const { teamId, channelId } = job;
      const thread = { teamId, channelId, threadTs: job.threadTs ?? '' };
      await write({
        job,
        followUps: [aFollowUp({ state: 'sent', receivedAtMs: OLD_MS })],
        calls: [aCall('a')],
      });
      await settle('a');
      const isPast = () => opened.run((tx) => tx.retention.isPast(thread));
      expect(await isPast()).toBe(false);
      expect(await prune()).toBe(1);
      expect(await exists(job.id)).toBe(false);
      expect(await opened.run((tx) => tx.calls.get('a'))).toBeNull();
      expect(await isPast()).toBe(true);
      expect(await prune()).toBe(0);
    });

    test('a job with a recent call stays, and so does the budget that the call uses up', async () => {
      await write({ job: oldJob(), calls: [aCreateCall('a')] });
      await opened.run((tx) => tx.calls.start('a', OLD_MS));
      await settle('a', NOW_MS);
      expect(await prune()).toBe(0);
      expect(await opened.run((tx) => tx.calls.agentCallsSince('docs', OLD_MS - 1))).toBe(1);
    });

    test('whatever there is, nothing open goes, and all that is over goes, in batches of any size', async () => {
      const when = fc.constantFrom(OLD_MS, NOW_MS);
      const anyJob = fc.record({
        stage: fc.constantFrom(...stages),
        requestedAtMs: when,
        call: fc.option(fc.record({ endedAtMs: fc.option(when) })),
        reply: fc.option(
          fc.record({
            receivedAtMs: when,
            state: fc.constantFrom<FollowUp['state']>('waiting', 'sending', 'sent', 'not_sent', 'unknown'),
          }),
        ),
        task: fc.boolean(),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyJob, { minLength: 4, maxLength: 8 }),
          fc.integer({ min: 1, max: 4 }),
          async (jobs, size) => {
            run += 1;
            const kept = new Map<string, boolean>();
            for (const [index, { stage, requestedAtMs, call, reply, task }] of jobs.entries()) {
              const id = `job-${run}-${index}`;
              const calls: NewCall[] = call === null ? [] : [aCall(id)];
              await write({
                job: aJob({ id, stage, requestedAtMs, threadTs: null }),
                calls,
                followUps: reply === null ? [] : [aFollowUp({ id, jobId: id, ...reply })],
                tasks: task ? [{ kind: 'read_snippets', runAtMs: NOW_MS, ifScheduled: 'keep' }] : [],
              });
              if (call !== null && call.endedAtMs !== null) await settle(id, call.endedAtMs);
              const isOpen = !OVER.includes(stage.kind) || task || (call !== null && call.endedAtMs === null);
              const isWaiting = reply?.state === 'waiting' || reply?.state === 'sending';
              const times = [requestedAtMs, call?.endedAtMs, reply?.receivedAtMs];
              kept.set(id, isOpen || isWaiting || times.includes(NOW_MS));
            }
            await prune(size);
            for (const [id, isKept] of kept) expect([id, await exists(id)]).toEqual([id, isKept]);
          },
        ),
        { numRuns: 60 },
      );
    });

    describe('a notice of a job that was deleted', () => {
      const notice = (id: string, channelId = 'C9', url = 'https://github.com/acme/docs/pull/1') =>
        aCall(id, {
          naturalKey: `notice:T1:${channelId}:${url}`,
          lane: { to: 'slack', name: `notice:${id}:${channelId}` },
          request: { kind: 'notify_channel', channelId, url },
        });
      const announced = async (call: NewCall) => {
        await write({ job: oldJob(), calls: [call] });
        await settle(call.id);
      };
      const isWanted = async (call: NewCall) => {
        await write({ job: oldJob({ id: 'job-2', threadTs: '1700000002.000100' }), calls: [call] });
        return opened.run(async (tx) => (await tx.calls.get(call.id)) !== null);
      };

      test('is not made again for the same link in the same channel', async () => {
        await announced(notice('a'));
        expect(await prune()).toBe(1);
        expect(await isWanted(notice('b'))).toBe(false);
        expect(await isWanted(notice('c', 'C8'))).toBe(true);
        expect(await isWanted(notice('d', 'C9', 'https://github.com/acme/docs/pull/2'))).toBe(true);
      });

      test('is known however long its link is', async () => {
        const url = `https://github.com/${'a'.repeat(4_000)}`;
        await announced(notice('a', 'C9', url));
        await prune();
        expect(await isWanted(notice('b', 'C9', url))).toBe(false);
        expect(await isWanted(notice('c', 'C9', `${url}1`))).toBe(true);
      });

      test('is not forgotten with what is left of its job', async () => {
        await announced(notice('a'));
        await prune();
        await opened.run((tx) => tx.retention.pruneTraces(NOW_MS + 1, 10, NOW_MS));
        expect(await isWanted(notice('b'))).toBe(false);
      });
    });

    test('a request is known until it is old, and all that is old goes in small batches', async () => {
      const remember = (key: string, atMs: number) =>
        opened.run((tx) => tx.inboundRequests.remember([key], atMs));
      for (let index = 0; index < 5; index += 1) await remember(`event:${index}`, OLD_MS);
      await remember('event:new', NOW_MS);
      const pruneTraces = () => opened.run((tx) => tx.retention.pruneTraces(NOW_MS, 3, NOW_MS + 30 * DAY_MS));
      expect([await pruneTraces(), await pruneTraces(), await pruneTraces()]).toEqual([3, 2, 0]);
      expect(await remember('event:1', NOW_MS)).toBe(true);
      expect(await remember('event:new', NOW_MS)).toBe(false);
    });

    test('what is left of homes, threads and locks goes, too', async () => {
      const job = oldJob();
      await write({ job });
      await opened.run((tx) => tx.homes.opened('T1', 'U1', OLD_MS));
      await opened.run((tx) => tx.jobs.requestedBy({ ...job, requesterId: 'U1' }, OLD_MS));
      await prune();
      expect(await opened.run((tx) => tx.retention.pruneTraces(NOW_MS + 1, 10, NOW_MS + DAY_MS))).toBe(1);
      expect(await opened.run((tx) => tx.retention.pruneTraces(NOW_MS + 1, 10, NOW_MS + DAY_MS))).toBe(0);
      const thread = { teamId: job.teamId, channelId: job.channelId, threadTs: job.threadTs ?? '' };
      expect(await opened.run((tx) => tx.retention.isPast(thread))).toBe(false);
    });
  });
}
