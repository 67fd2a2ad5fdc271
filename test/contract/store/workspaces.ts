import { describe, expect, test } from 'vitest';
import type { Job, JobCursor, Stage } from '../../../src/jobs/job.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aDecision, aFollowUp, aJob, claimDue, NOW_MS } from './samples.ts';

export function workspaceContract(open: OpenStore): void {
  describe('settings of channels', () => {
    const first = { projectName: 'api', noticeChannels: ['C9'], followUpWindowMs: 0 };
    const second = { followUpMode: 'mentions' as const };

    const opened = useStore(open);
    const get = (teamId: string, channelId: string) =>
      opened.run((tx) => tx.channelSettings.get(teamId, channelId));
    const replace = (settings: typeof first | typeof second) =>
      opened.run((tx) => tx.channelSettings.replace('T1', 'C1', settings));

    test('they are read as they were saved last; nothing is saved for other channels', async () => {
      expect(await get('T1', 'C1')).toBeNull();
      await replace(first);
      expect(await get('T1', 'C1')).toEqual(first);
      await replace(second);
      expect(await get('T1', 'C1')).toEqual(second);
      expect(await get('T1', 'C2')).toBeNull();
      expect(await get('T2', 'C1')).toBeNull();
    });

    test('the notice channels of a workspace are all that are saved for its channels', async () => {
      expect(await opened.run((tx) => tx.channelSettings.noticeChannels('T1'))).toEqual([]);
      await replace(first);
      await opened.run((tx) => tx.channelSettings.replace('T1', 'C2', second));
      await opened.run((tx) => tx.channelSettings.replace('T2', 'C3', first));
      expect(await opened.run((tx) => tx.channelSettings.noticeChannels('T1'))).toEqual(['C9']);
    });
  });

  describe('installations', () => {
    const facts = {
      id: 'T1',
      isOrganisation: false,
      enterpriseId: null,
      botUserId: 'U0BOT',
      botId: 'B0BOT',
      workspaceUrl: 'https://acme.slack.com/',
      scopes: ['commands', 'chat:write'],
      installedAtMs: NOW_MS,
      token: { keyId: 'k1', botToken: 'sealed-1' },
    };

    const opened = useStore(open);
    const get = (id = 'T1') => opened.run((tx) => tx.installations.get(id));
    const put = (over: Partial<typeof facts> = {}) =>
      opened.run((tx) => tx.installations.put({ ...facts, ...over }));
    const next = { keyId: 'k1', botToken: 'sealed-2' };
    const remove = (token = facts.token) => opened.run((tx) => tx.installations.remove({ id: 'T1', token }));
    test('are read as they were put, each by its id, and all in the order of their ids', async () => {
      await put({ id: 'T2' });
      await put();
      expect(await get()).toEqual(facts);
      expect(await get('T3')).toBeNull();
      const all = await opened.run((tx) => tx.installations.all());
      expect(all.map(({ id }) => id)).toEqual(['T1', 'T2']);
    });

    test('a later installation takes the place of the one before, and no other is removed for it', async () => {
      await put();
      await put({ botId: 'B2', token: next });
      expect(await get()).toMatchObject({ botId: 'B2', token: next });
      expect(await remove()).toBe(false);
      expect(await remove(next)).toBe(true);
      expect(await get()).toBeNull();
    });

    test('a token is put under another key, unless it has changed meanwhile', async () => {
      await put();
      const resealed = { keyId: 'k2', botToken: 'sealed-3' };
      const reseal = () => opened.run((tx) => tx.installations.reseal(facts, resealed));
      expect(await reseal()).toBe(true);
      expect(await get()).toMatchObject({ token: resealed });
      await put({ token: next });
      expect(await reseal()).toBe(false);
      expect(await get()).toMatchObject({ token: next });
    });

    test('it is remembered which organisation serves a workspace', async () => {
      const organisation = () => opened.run((tx) => tx.installations.organisationOf('T1'));
      expect(await organisation()).toBeNull();
      for (const id of ['E1', 'E2'])
        await opened.run((tx) => tx.installations.rememberOrganisation('T1', id));
      expect(await organisation()).toBe('E2');
    });
  });

  describe('channels that are closed to the bot', () => {
    const place = { teamId: 'T1', channelId: 'C1' };
    const LATER_MS = NOW_MS + 3_600_000;
    const announced = { kind: 'announce', announcement: { kind: 'started' } } as const;

    const opened = useStore(open);
    const claim = (nowMs: number) => opened.claim(['post_to_slack'], nowMs);
    /** A post that Slack has refused, with one behind it in the same lane. */
    const refused = (jobId: string, channelId: string, reason: string) =>
      opened.run(async (tx) => {
        const lane = { to: 'slack', name: `thread:${jobId}` } as const;
        const calls = ['a', 'b'].map((name) =>
          aCall(`${jobId}-${name}`, { naturalKey: `${jobId}:${name}`, lane, request: announced }),
        );
        const job = aJob({ id: jobId, channelId, threadTs: `1.00000${jobId.at(-1)}` });
        await tx.write(aDecision({ job, calls }), NOW_MS);
        await tx.calls.start(`${jobId}-a`, NOW_MS);
        await tx.calls.recordOutcome(`${jobId}-a`, { state: 'retry', detail: reason }, NOW_MS);
      });
    const postpone = async () => {
      for (const { lease } of await claim(NOW_MS))
        await opened.run((tx) => tx.tasks.retryAt(lease, LATER_MS));
    };

    test('are known by the posts that wait there, and are tried at once when they are open again', async () => {
      await refused('job-1', 'C1', 'not_in_channel');
      await refused('job-2', 'C1', 'not_in_channel');
      await refused('job-3', 'C2', 'is_archived');
      await refused('job-4', 'C3', 'ratelimited');
      await postpone();
      const closed = (teamId: string) =>
        opened.run((tx) => tx.places.closed(teamId, ['not_in_channel', 'is_archived']));
      expect((await closed('T1')).toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))).toEqual([
        { channelId: 'C1', reason: 'not_in_channel', posts: 2 },
        { channelId: 'C2', reason: 'is_archived', posts: 1 },
      ]);
      expect(await closed('T2')).toEqual([]);
      await opened.run((tx) => tx.places.opened(place, NOW_MS));
      const subjects = (await claim(NOW_MS)).map(({ subject }) => subject);
      expect(subjects.toSorted()).toEqual(['thread:job-1', 'thread:job-2']);
    });
  });

  describe('home tabs', () => {
    const HOUR_MS = 3_600_000;
    const refreshNow = { kind: 'refresh_card', runAtMs: NOW_MS, ifScheduled: 'replace' } as const;

    const opened = useStore(open);
    const look = (teamId: string, userId: string, atMs = NOW_MS) =>
      opened.run((tx) => tx.homes.opened(teamId, userId, atMs));
    /** The home tasks that are due until then, which are done with that. */
    const drawn = (nowMs: number) =>
      opened.run(async (tx) => {
        const tasks = await claimDue(tx, ['refresh_home'], nowMs);
        for (const { lease } of tasks) await tx.tasks.complete(lease);
        return tasks.map(({ subject }) => subject);
      });

    test('a home is drawn when it is opened', async () => {
      await look('T1', 'U1');
      await look('T1', 'U2');
      expect((await drawn(NOW_MS)).sort()).toEqual(['T1:U1', 'T1:U2']);
    });

    test('a home that was opened is drawn again soon after a job of that person changes, once for many changes', async () => {
      await look('T1', 'U1');
      await look('T1', 'U2');
      await drawn(NOW_MS);
      await opened.write({ calls: [aCall('call-1')] });
      await opened.write({ tasks: [refreshNow] });
      await opened.write({ job: aJob({ id: 'job-2', teamId: 'T2', threadTs: null }), tasks: [refreshNow] });
      expect(await drawn(NOW_MS)).toEqual([]);
      expect(await drawn(NOW_MS + 5_000)).toEqual(['T1:U1']);
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual([]);
    });

    test('a home opened more than an hour ago, or never, is not refreshed', async () => {
      await look('T1', 'U1', NOW_MS - HOUR_MS);
      await drawn(NOW_MS);
      await opened.write({ tasks: [refreshNow] });
      await opened.write({
        job: aJob({ id: 'job-2', requesterId: 'U2', threadTs: null }),
        tasks: [refreshNow],
      });
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual([]);
      await look('T1', 'U1');
      await drawn(NOW_MS);
      await opened.write({ tasks: [refreshNow] });
      expect(await drawn(NOW_MS + HOUR_MS)).toEqual(['T1:U1']);
    });
  });

  describe('replicas', () => {
    const opened = useStore(open);
    const report = (id: string, connections: number, atMs: number) =>
      opened.run((tx) => tx.replicas.report({ id, connections, otherConnections: 0 }, atMs));

    test('know the connections of all of them, until one leaves or is not seen any more', async () => {
      expect(await report('a', 1, NOW_MS)).toBe(1);
      expect(await report('b', 2, NOW_MS)).toBe(3);
      expect(await report('b', 1, NOW_MS + 60_000)).toBe(2);
      expect(await report('b', 1, NOW_MS + 160_000)).toBe(1);
      await report('c', 5, NOW_MS + 160_000);
      await opened.run((tx) => tx.replicas.leave('b', NOW_MS + 160_000));
      expect(await report('a', 1, NOW_MS + 160_000)).toBe(6);
    });

    test('are not known for ever when the clock is set back', async () => {
      await report('a', 1, NOW_MS + 86_400_000);
      expect(await report('b', 1, NOW_MS)).toBe(1);
    });
  });

  describe('the counts of the store', () => {
    const opened = useStore(open);

    test('counts open jobs by stage', async () => {
      const stages = [
        { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        { kind: 'working', turnStartedAtMs: NOW_MS, settle: null },
        { kind: 'create_unknown', callId: 'call-1', sinceMs: 0 },
        { kind: 'ended', status: 'completed', sinceMs: 0 },
      ] as const;
      for (const [index, stage] of stages.entries()) {
        const job = aJob({ id: `job-${index}`, threadTs: null, stage });
        await opened.write({ job });
      }
      expect(Object.fromEntries(await opened.run((tx) => tx.stats.openJobs()))).toEqual({
        opening: 0,
        creating: 0,
        create_unknown: 1,
        working: 2,
      });
    });

    test('counts the tasks that are due, by their kind, also those in hand', async () => {
      await opened.schedule('check_job', 'a', NOW_MS - 5_000);
      await opened.schedule('check_job', 'b', NOW_MS);
      await opened.schedule('check_job', 'later', NOW_MS + 1);
      await opened.schedule('refresh_card', 'later', NOW_MS + 1);
      await opened.claim(['check_job'], NOW_MS, { limit: 1 });
      expect(await opened.run((tx) => tx.stats.dueTasks(NOW_MS))).toEqual([
        { kind: 'check_job', count: 2, dueSinceMs: NOW_MS - 5_000 },
      ]);
    });
  });

  describe('lists of jobs', () => {
    const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;
    const agentJob = anAgentJob({ id: 'agent-7' });
    const drafted = { number: 1, thread: null, messages: [], postTs: null };
    const aDraft = { kind: 'draft', ...drafted } as const;
    const why = { why: 'expired', byUserId: null } as const;
    const aDroppedDraft: Stage = { kind: 'dropped', number: 1, formerThreadTs: null, ...why };
    const sight = { teamId: 'T1', userId: 'U1', channelId: 'C1' };

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
