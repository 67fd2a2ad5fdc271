import { expect, test } from 'vitest';
import { storeOldJobs } from '../../bench/growth/old-jobs.ts';
import { PullRequests } from '../../src/features/pull-requests/queries.ts';
import { openStore } from '../../src/store/open.ts';
import { aDecision } from '../contract/store/samples.ts';
import { aJob } from '../support/a-job.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('A store that bench growth has filled', (makeEmpty) => {
  test('has numbered jobs with their pull requests, and takes a new one', async () => {
    const { location, remove } = await makeEmpty();
    try {
      await storeOldJobs(location, 10);
      const store = await openStore(location);
      const [old, pullRequest, added] = await store.transaction(async (tx) => {
        const job = await tx.jobs.get('job-0000000a');
        const newJob = aJob({ id: 'new', teamId: job?.teamId ?? '' });
        await tx.write(aDecision({ job: newJob }), 0);
        const subject = `${job?.teamId}:${job?.announcedPrLink}`;
        return [job, await tx.queries(PullRequests).get(subject), await tx.jobs.get(newJob.id)];
      });
      await store.close();

      expect(old).toMatchObject({ number: 11, pullRequests: [{ facts: { state: 'merged' } }] });
      expect(pullRequest).toMatchObject({ outcome: 'seen', memory: { readings: { review: { lacks: [] } } } });
      expect(added).toMatchObject({ number: 12 });
    } finally {
      await remove();
    }
  });
});
