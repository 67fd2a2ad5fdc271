import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aDecision, aJob, NOW_MS } from './samples.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const LATER_MS = NOW_MS + 3_600_000;
const announced = { kind: 'announce', announcement: { kind: 'started' } } as const;

export function placeContract(open: OpenStore): void {
  describe('channels that are closed to the bot', () => {
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
}
