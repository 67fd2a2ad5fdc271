import { beforeEach, expect, test } from 'vitest';
import { PullRequests } from '../../src/features/pull-requests/queries.ts';
import type { TaskKind } from '../../src/jobs/task-kinds.ts';
import { aCall, aCreateCall, aDecision, aJob, NOW_MS } from '../contract/store/samples.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { forgetfulStore } from './support/forgetful-store.ts';

const ended = { kind: 'ended', status: 'completed', sinceMs: 0 } as const;

describeOnDatabases('what is still to be done', (make) => {
  const { run, raw, erase } = forgetfulStore(make);
  beforeEach(async () => {
    for (const [id, requesterId] of [
      ['job-1', 'U1'],
      ['job-2', 'U2'],
    ] as const) {
      await run(async (tx) => {
        const job = aJob({ id, requesterId, stage: ended, threadTs: `${id.slice(-1)}.1` });
        const calls = [
          aCreateCall(`create-${id}`, { lane: { to: 'agent', name: `agent:${id}` } }),
          aCall(`card-${id}`, { lane: { to: 'slack', name: `thread:${id}` } }),
        ];
        const key = `https://github.com/acme/docs/pull/${id.slice(-1)}`;
        await tx.write(aDecision({ job, calls }), NOW_MS);
        await tx.queries(PullRequests).watch(job, { key, url: key }, NOW_MS);
        for (const call of calls)
          await tx.calls.recordOutcome(call.id, { state: 'done', detail: null }, NOW_MS);
      });
    }
    await left('call_agent', 'agent:job-1', 'agent:job-2');
    await left('post_to_slack', 'thread:job-1', 'thread:job-2');
    await left('refresh_card', 'job-1', 'job-2');
    await left('refresh_home', 'T1:U1', 'T1:U2', 'T2:U1');
  });

  const left = (kind: TaskKind, ...subjects: readonly string[]) =>
    run(async (tx) => {
      for (const subject of subjects)
        await tx.tasks.schedule({ kind, subject, runAtMs: NOW_MS, ifScheduled: 'keep' });
    });

  async function tasks(): Promise<string[]> {
    const rows = await raw((db) => db.selectFrom('task').select('id').execute());
    return rows.map(({ id }) => id).toSorted();
  }

  test('for the jobs and the home of a person is not done any more; all else is', async () => {
    await erase('user', 'U1');
    expect(await tasks()).toEqual([
      'call_agent:agent:job-2',
      'look_at_pull_request:T1:https://github.com/acme/docs/pull/2',
      'post_to_slack:thread:job-2',
      'refresh_card:job-2',
      'refresh_home:T1:U2',
    ]);
  });

  test('prevents it while a workflow waits for a draft: its step would never end', async () => {
    const draft = { number: 1, thread: null, messages: [], postTs: '3.1' };
    const origin = { kind: 'workflow', executionId: 'Fx1', waits: true } as const;
    const job = aJob({ id: 'job-3', requesterId: 'U1', stage: { kind: 'draft', ...draft }, origin });
    const written = (step: { readonly isStepCompleted?: true }) =>
      run((tx) => tx.write(aDecision({ job: { ...job, ...step } }), NOW_MS));
    await written({});
    expect((await erase('user', 'U1')).openWork).toMatchObject([{ jobId: 'job-3' }]);
    await written({ isStepCompleted: true });
    expect((await erase('user', 'U1')).openWork).toEqual([]);
  });
});
