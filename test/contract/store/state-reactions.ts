import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

export function stateReactionContract(open: OpenStore): void {
  describe('the reaction at the message that asked for a job', () => {
    const opened = useStore(open);
    const write = (facts: Partial<Job> = {}) =>
      opened.run((tx) => tx.write(aDecision({ job: aJob({ requestTs: '1.000001', ...facts }) }), NOW_MS));
    const stale = () => opened.run((tx) => tx.stateReactions.stale('job-1'));

    test('is stale until it is shown, and again when the state goes on', async () => {
      await write();
      expect(await stale()).toMatchObject({ placed: [], desired: 'taken', job: { requestTs: '1.000001' } });
      await opened.run((tx) => tx.stateReactions.shown('job-1', 'taken'));
      expect(await stale()).toBeNull();
      await write({ stage: { kind: 'working', turnStartedAtMs: NOW_MS, settle: null } });
      expect(await stale()).toMatchObject({ placed: ['taken'], desired: 'working' });
    });

    test('is stale while another may be there', async () => {
      await write();
      await opened.run((tx) => tx.stateReactions.shown('job-1', 'taken'));
      await opened.run((tx) => tx.stateReactions.tried('job-1', ['taken', 'failed']));
      expect(await stale()).toMatchObject({ placed: ['taken', 'failed'], desired: 'taken' });
    });

    test('is stale while others are there, without those that were removed', async () => {
      await write();
      await opened.run((tx) => tx.stateReactions.shown('job-1', 'working'));
      await opened.run((tx) => tx.stateReactions.tried('job-1', ['working', 'failed', 'taken']));
      await opened.run((tx) => tx.stateReactions.left('job-1', ['failed', 'taken']));
      expect(await stale()).toMatchObject({ placed: ['failed', 'taken'], desired: 'taken' });
    });

    test('is never stale where Slack takes none, where no message asked, and of a job that is gone', async () => {
      await write();
      await opened.run((tx) => tx.stateReactions.shown('job-1', 'refused'));
      expect(await stale()).toBeNull();
      await opened.run((tx) => tx.write(aDecision({ job: aJob({ id: 'job-3', threadTs: null }) }), NOW_MS));
      expect(await opened.run((tx) => tx.stateReactions.stale('job-3'))).toBeNull();
      expect(await opened.run((tx) => tx.stateReactions.stale('job-2'))).toBeNull();
    });
  });
}
