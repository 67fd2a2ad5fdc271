import { describe, expect, test } from 'vitest';
import type { Job, JobCursor, Stage } from '../../../src/jobs/job.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aDecision, aFollowUp, aJob, NOW_MS } from './samples.ts';

const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
const agentJob = { id: 'agent-7', status: 'active', repository: null, ref: null, model: null, prLink: null };
const drafted = { number: 1, thread: null, messages: [], postTs: null };
const aDraft = { kind: 'draft', ...drafted } as const;
const aDroppedDraft: Stage = {
  kind: 'dropped',
  ...{ number: 1, formerThreadTs: null, why: 'expired', byUserId: null },
};
const sight = { teamId: 'T1', userId: 'U1', channelId: 'C1' };

export function listContract(open: OpenStore): void {
  describe('lists of jobs', () => {
    const opened = useStore(open);
    const write = async (...jobs: readonly Partial<Job>[]) => {
      for (const job of jobs) {
        await opened.write({ job: aJob({ threadTs: null, ...job }) });
      }
    };
    const page = (before: JobCursor | null = null, limit = 10) =>
      opened.run((tx) => tx.lists.page(sight, before, limit));
    const idsOf = (jobs: readonly Job[]) => jobs.map(({ id }) => id);

    test('a person sees own jobs wherever they are, and those of others that are open in the channel', async () => {
      await write(
        { id: 'own, over, elsewhere', channelId: 'C2', stage: ended, requestedAtMs: 1 },
        { id: 'own, here', requestedAtMs: 2 },
        { id: 'open, of another', requesterId: 'U2', requestedAtMs: 3 },
        { id: 'over, of another', requesterId: 'U2', stage: ended, requestedAtMs: 4 },
        {
          id: 'asks first',
          stage: { kind: 'awaiting_confirmation', sameAsJobId: 'a', thread: null },
          requestedAtMs: 5,
        },
        { id: 'a draft', stage: aDraft, requestedAtMs: 5 },
        { id: 'a dropped draft', stage: aDroppedDraft, requestedAtMs: 5 },
        { id: 'elsewhere, of another', requesterId: 'U2', channelId: 'C2', requestedAtMs: 5 },
        { id: 'of another workspace', teamId: 'T2', requestedAtMs: 6 },
      );
      const { jobs, hasOlder } = await page();
      expect(idsOf(jobs)).toEqual(['open, of another', 'own, here', 'own, over, elsewhere']);
      expect(hasOlder).toBe(false);
    });

    test('a job that nobody asked for is in the list of its channel while it is open, and of nobody’s own', async () => {
      const unattended = { requesterId: null, recipe: 'weekly-review' };
      await write(
        { id: 'open', ...unattended, requestedAtMs: 1 },
        { id: 'over', ...unattended, stage: ended, requestedAtMs: 2 },
      );
      const { jobs } = await page();
      expect(idsOf(jobs)).toEqual(['open']);
      expect(jobs[0]).toMatchObject(unattended);
    });

    test('of the own jobs since a time, the replies that wait for a decision are counted', async () => {
      await write(
        { id: 'old', requestedAtMs: 1 },
        { id: 'settled', requestedAtMs: 2 },
        { id: 'undecided', requestedAtMs: 3 },
        { id: 'of another', requesterId: 'U2', requestedAtMs: 4 },
      );
      const followUp = (id: string, facts: Partial<ReturnType<typeof aFollowUp>>) =>
        aFollowUp({ id, jobId: 'undecided', messageTs: id, ...facts });
      const followUps = [
        followUp('1', { state: 'sent', callId: 'a' }),
        followUp('2', { state: 'unknown', callId: 'b' }),
        followUp('3', { state: 'not_sent', callId: 'c' }),
        followUp('4', { state: 'not_sent', callId: null }),
      ];
      const job = aJob({ id: 'undecided', threadTs: null, requestedAtMs: 3 });
      await opened.write({ job, followUps });
      const recent = await opened.run((tx) => tx.lists.recentOf('T1', 'U1', 2, 10));
      expect(recent.map(({ job: { id }, undecided }) => [id, undecided])).toEqual([
        ['undecided', { count: 2, callId: 'b', mayBeThere: true }],
        ['settled', null],
      ]);
    });

    test('pages neither repeat nor skip a job, also of those asked for at the same time', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      await write(...ids.map((id, index) => ({ id, requestedAtMs: index < 4 ? 1 : 2 })));
      const seen: string[] = [];
      let start: Parameters<typeof page>[0] = null;
      for (;;) {
        const { jobs, hasOlder } = await page(start, 3);
        seen.push(...idsOf(jobs));
        const last = jobs.at(-1);
        if (!hasOlder || last === undefined) break;
        start = last;
      }
      expect(seen).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
    });

    test('a page keeps its place while jobs are added and removed', async () => {
      await write(...[1, 2, 3, 4].map((at) => ({ id: `job-${at}`, requesterId: 'U2', requestedAtMs: at })));
      const first = await page(null, 2);
      expect(idsOf(first.jobs)).toEqual(['job-4', 'job-3']);
      await write(
        { id: 'job-5', requestedAtMs: 5 },
        { id: 'job-3', requesterId: 'U2', requestedAtMs: 3, stage: ended },
      );
      const second = await page({ requestedAtMs: 3, id: 'job-3' }, 2);
      expect(idsOf(second.jobs)).toEqual(['job-2', 'job-1']);
      expect(second).toMatchObject({ hasOlder: false });
    });

    test('the open jobs of a person, those with a pull request, and the latest', async () => {
      await write(
        { id: 'older', requestedAtMs: 1 },
        { id: 'with link', requestedAtMs: 2, stage: ended, announcedPrLink: 'https://example.com/7' },
        { id: 'newest', requestedAtMs: 3, channelId: 'C2' },
        { id: 'latest', requestedAtMs: 4, stage: ended },
        { id: 'of another', requestedAtMs: 5, requesterId: 'U2' },
      );
      const read = await opened.run(async (tx) => ({
        open: idsOf(await tx.lists.newestOf('T1', 'U1', 'open', 5)),
        withPullRequest: idsOf(await tx.lists.newestOf('T1', 'U1', 'with_pull_request', 5)),
        latest: (await tx.lists.newestOf('T1', 'U1', 'all', 1))[0]?.id,
        none: await tx.lists.newestOf('T1', 'U3', 'all', 1),
      }));
      expect(read).toEqual({
        open: ['newest', 'older'],
        withPullRequest: ['with link'],
        latest: 'latest',
        none: [],
      });
    });

    test('the calls of a job are listed in the order in which they were requested, with their outcomes', async () => {
      const job = aJob({ threadTs: null });
      await opened.write({ job, calls: [aCreateCall('call-1'), aCall('call-2')] });
      await opened.run(async (tx) => {
        await tx.calls.start('call-1', NOW_MS + 1);
        await tx.calls.recordOutcome('call-1', { state: 'done', detail: null }, NOW_MS + 2);
      });
      const calls = await opened.run((tx) => tx.lists.callsOf('job-1'));
      expect(calls).toMatchObject([
        { request: { kind: 'create_job' }, state: 'done', createdAtMs: NOW_MS, endedAtMs: NOW_MS + 2 },
        { request: { kind: 'post_card' }, state: 'pending', endedAtMs: null },
      ]);
      expect(await opened.run((tx) => tx.lists.callsOf('job-2'))).toEqual([]);
      const made = (sinceMs: number) => opened.run((tx) => tx.calls.agentCallsSince('docs', sinceMs));
      expect(await made(NOW_MS)).toBe(1);
      expect(await made(NOW_MS + 1)).toBe(0);
    });

    test('a job is meant by its number in its workspace, with or without the sign', async () => {
      await write(
        { id: 'asked', stage: { kind: 'awaiting_confirmation', sameAsJobId: 'first', thread: null } },
        { id: 'first' },
        { id: 'second' },
        { id: 'elsewhere', teamId: 'T2' },
        { id: 'called 2', agentJob: { ...agentJob, id: '2' } },
      );
      const meant = async (word: string) =>
        idsOf(await opened.run((tx) => tx.lists.findByIdentifier('T1', word)));
      expect(await meant('#2')).toEqual(['second']);
      expect(await meant('2')).toEqual(['second', 'called 2']);
      expect(idsOf(await opened.run((tx) => tx.lists.findByIdentifier('T2', '1')))).toEqual(['elsewhere']);
      // A question is no job yet.
      for (const word of ['#4', '0', '02', '-2', '99999999999999999999'])
        expect(await meant(word)).toEqual([]);
    });

    test('numbers count jobs: a question or a draft gets one when it starts, and none before', async () => {
      const asked = { kind: 'awaiting_confirmation', sameAsJobId: null, thread: null } as const;
      await write({ id: 'asked', stage: asked }, { id: 'first' });
      const numberOf = async (id: string) => (await opened.run((tx) => tx.jobs.get(id)))?.number;
      expect([await numberOf('asked'), await numberOf('first')]).toEqual([0, 1]);
      const moveTo = (stage: Job['stage']) =>
        opened.run(async (tx) => {
          const locked = await tx.jobs.lock('asked');
          if (locked === null) throw new Error('it is not there');
          await tx.write(aDecision({ job: { ...locked.job, stage } }), NOW_MS);
        });
      await moveTo({ kind: 'opening' });
      expect(await numberOf('asked')).toBe(2);
      await moveTo({ kind: 'creating' });
      await write({ id: 'third' });
      expect([await numberOf('asked'), await numberOf('third')]).toEqual([2, 3]);
    });

    test('a job is meant by its id, by the first part of it, and by the id of its agent job', async () => {
      const id = '3f2a9c1b-0000-4000-8000-000000000001';
      await write({ id, agentJob }, { id: 'job-2' }, { id: '3f2a9c1c', teamId: 'T2' });
      const meant = async (word: string) =>
        idsOf(await opened.run((tx) => tx.lists.findByIdentifier('T1', word)));
      expect(await meant(id)).toEqual([id]);
      expect(await meant('3F2A9C1B-0000')).toEqual([id]);
      expect(await meant('agent-7')).toEqual([id]);
      expect(await meant('job-2')).toEqual(['job-2']);
      for (const word of ['3f2a9c1', '%', '________', '3f2a9c1c', 'agent-8', ''])
        expect(await meant(word)).toEqual([]);
    });
  });
}
