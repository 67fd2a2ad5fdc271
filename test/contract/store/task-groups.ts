import { describe, expect, test } from 'vitest';
import { taskKinds } from '../../../src/jobs/task-kinds.ts';
import type { ClaimedTask } from '../../../src/store/store.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aJob, NOW_MS } from './samples.ts';

export function taskGroupContract(open: OpenStore): void {
  describe('the groups of tasks', () => {
    const opened = useStore(open);
    const schedule = (subject: string, runAtMs: number) => opened.schedule('check_job', subject, runAtMs);
    const subjects = (tasks: readonly ClaimedTask[]) => tasks.map((task) => task.subject);

    test('a task belongs to the group of its job; groups that are left out hide nothing, however long they wait', async () => {
      const job = aJob({ teamId: 'T1', channelId: 'C1', projectId: 'docs' });
      const calls = [
        aCall('call-1'),
        aCall('call-2', { lane: { to: 'slack', name: 'notice:job-1:C2' } }),
        aCreateCall('call-3'),
      ];
      await opened.write({ job, calls });
      await opened.run((tx) => tx.homes.opened('T1', 'U1', NOW_MS));
      await opened.schedule('refresh_card', 'job-1', NOW_MS);
      await schedule('job-1', NOW_MS);
      await schedule('gone', NOW_MS + 5);
      const claimWithout = async (skippedGroups: readonly string[]) => {
        const atMs = NOW_MS + 10;
        const found = await opened.claim(taskKinds, atMs, { leaseUntilMs: atMs, skippedGroups });
        return Object.fromEntries(found.map(({ lease, group }) => [lease.id, group]));
      };
      const all = {
        'post_to_slack:thread:job-1': 'T1/C1/',
        'post_to_slack:notice:job-1:C2': 'T1/C2/',
        'call_agent:agent:job-1': 'docs/',
        'refresh_home:T1:U1': 'T1/U1/',
        'refresh_card:job-1': 'T1/C1/',
        'check_job:job-1': 'docs/',
        'check_job:gone': '',
      };
      const nextDueAtMs = (skippedGroups: readonly string[]) =>
        opened.run((tx) => tx.tasks.nextDueAtMs(['check_job'], skippedGroups));
      expect(await nextDueAtMs(['T1/'])).toBe(NOW_MS);
      expect(await nextDueAtMs(['docs/'])).toBe(NOW_MS + 5);
      expect(await claimWithout([])).toEqual(all);
      const { 'refresh_home:T1:U1': home, 'check_job:gone': gone, ...others } = all;
      expect(await claimWithout(['docs/', 'T1/C1/', 'T1/C2/'])).toEqual({
        'refresh_home:T1:U1': home,
        'check_job:gone': gone,
      });
      expect(await claimWithout(['T1/', 'doc/', 'T/'])).toEqual({
        'check_job:job-1': others['check_job:job-1'],
        'call_agent:agent:job-1': others['call_agent:agent:job-1'],
        'check_job:gone': gone,
      });
    });

    test('of what is found, only what is admitted is claimed', async () => {
      await schedule('a', NOW_MS - 1);
      await schedule('b', NOW_MS);
      const admit = async (found: readonly ClaimedTask[]) => found.filter(({ subject }) => subject === 'b');
      expect(subjects(await opened.claim(['check_job'], NOW_MS, { admit }))).toEqual(['b']);
      expect(subjects(await opened.claim(['check_job'], NOW_MS))).toEqual(['a']);
    });
  });
}
