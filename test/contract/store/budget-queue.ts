import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { anAgentJob } from '../../jobs/support/builders.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aCall, aCreateCall, aFollowUp, aJob, NOW_MS } from './samples.ts';

export function budgetQueueContract(open: OpenStore): void {
  describe('the queue for an hourly budget', () => {
    const opened = useStore(open);
    const lane = (id: string) => ({ to: 'agent', name: `agent:${id}` }) as const;
    const want = (id: string, callId: string, projectId = 'docs') => {
      const job = aJob({ id, projectId, threadTs: `${id}.000100` });
      const calls = [aCreateCall(callId, { lane: lane(id) }), aCall(`post-${callId}`)];
      return opened.write({ job, calls });
    };
    const waiting = async (projectId = 'docs') =>
      (await opened.run((tx) => tx.budgetQueue.waiting(projectId))).map(
        ({ jobId, kind }) => `${kind} ${jobId}`,
      );

    test('is first come, first served, per project, and a job can leave it', async () => {
      await want('b', 'call-1');
      await want('a', 'call-2');
      await want('c', 'call-3', 'site');
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
      expect(await waiting('site')).toEqual(['create_job c']);
      await opened.run((tx) => tx.budgetQueue.leave('call-1'));
      expect(await waiting()).toEqual(['create_job a']);
      await opened.run((tx) => tx.budgetQueue.join('call-1'));
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
    });

    test('knows which jobs nobody asked for', async () => {
      const start = (id: string, requesterId: string | null, fields: Partial<Job> = {}) => {
        const job = aJob({ id, requesterId, threadTs: `${id}.000100`, ...fields });
        const calls = [aCreateCall(`call-${id}`, { lane: lane(id) })];
        return opened.write({ job, calls });
      };
      await start('recipe', null);
      await start('alice', 'U1');
      expect(await opened.run((tx) => tx.budgetQueue.waiting('docs'))).toEqual([
        { jobId: 'recipe', kind: 'create_job', isUnattended: true, passedUntilMs: null },
        { jobId: 'alice', kind: 'create_job', isUnattended: false, passedUntilMs: null },
      ]);
      await start('draft', null, { isStartedByPerson: true });
      const rest = (await opened.run((tx) => tx.budgetQueue.waiting('docs'))).slice(2);
      expect(rest.map(({ isUnattended }) => isUnattended)).toEqual([false]);
    });

    test('is not fooled by what people, the agent or the settings write', async () => {
      const member = '"isStartedByPerson":true';
      const texts = [
        member,
        `${member},`,
        `x"${member}`,
        `\\${member}`,
        `\\"${member}`,
        `",${member},"`,
        `{${member}}`,
      ];
      const agentJob = anAgentJob();
      for (const [index, text] of texts.entries()) {
        const job = aJob({
          ...{
            id: `job-${index}`,
            threadTs: `${index}.000100`,
            requesterId: null,
            recipe: text,
            prompt: text,
          },
          ...{ context: text, inlined: text, projectName: text, responseUrl: text, thankedBy: [text] },
          ...{ agentJob: { ...agentJob, ref: text, repository: text, prLink: text } },
          ...{ origin: { kind: 'reaction', messageTs: text, emoji: text } },
          snippets: [{ name: text, url: text }],
        });
        const calls = [aCreateCall(`call-${index}`, { lane: lane(job.id) })];
        await opened.write({ job, calls });
      }
      const found = await opened.run((tx) => tx.budgetQueue.waiting('docs'));
      expect(found.map(({ isUnattended }) => isUnattended)).toEqual(texts.map(() => true));
    });

    test('keeps the place of replies while they wait for another call, and not when they were withdrawn', async () => {
      const request = { kind: 'send_message', agentJobId: 'agent-1', prompt: 'Shorter' } as const;
      const message = (callId: string) => aCall(callId, { lane: lane('job-1'), request });
      const write = (state: 'waiting' | 'excluded', ...callIds: string[]) =>
        opened.write({
          job: aJob({ agentJob: anAgentJob() }),
          followUps: [aFollowUp({ state })],
          calls: callIds.map(message),
        });
      await write('waiting', 'call-1');
      await want('b', 'call-2');
      await opened.run((tx) => tx.calls.recordOutcome('call-1', { state: 'not_made', detail: null }, NOW_MS));
      expect(await waiting()).toEqual(['send_message job-1', 'create_job b']);
      await write('waiting', 'call-3');
      expect(await waiting()).toEqual(['send_message job-1', 'create_job b']);
      await opened.run((tx) => tx.calls.recordOutcome('call-3', { state: 'not_made', detail: null }, NOW_MS));
      await write('excluded');
      expect(await waiting()).toEqual(['create_job b']);
    });

    test('leaves out a call under way, which has its place again if it is refused', async () => {
      await want('b', 'call-1');
      await want('a', 'call-2');
      await opened.run((tx) => tx.calls.start('call-1', NOW_MS));
      expect(await waiting()).toEqual(['create_job a']);
      const isUnderWay = (sinceMs: number) =>
        opened.run((tx) => tx.calls.isAgentCallUnderWay('docs', sinceMs));
      expect([await isUnderWay(NOW_MS - 1), await isUnderWay(NOW_MS)]).toEqual([true, false]);
      await opened.run((tx) => tx.calls.recordOutcome('call-1', { state: 'retry', detail: null }, NOW_MS));
      expect(await waiting()).toEqual(['create_job b', 'create_job a']);
      expect(await isUnderWay(0)).toBe(false);
    });

    test('remembers whom others pass', async () => {
      await want('b', 'call-1');
      await opened.run((tx) => tx.budgetQueue.pass([{ jobId: 'b', kind: 'create_job' }], NOW_MS));
      const [b] = await opened.run((tx) => tx.budgetQueue.waiting('docs'));
      expect(b?.passedUntilMs).toBe(NOW_MS);
    });

    test('keeps the pause of each project, and says which have one', async () => {
      const pause = { atMs: NOW_MS, untilMs: NOW_MS + 60_000, refusals: 2 };
      const change = (projectId: string, after: typeof pause | null) =>
        opened.run((tx) => tx.budgetQueue.changePause(projectId, () => after, NOW_MS));
      const pauseAt = (nowMs: number, projectId = 'docs') =>
        opened.run((tx) => tx.budgetQueue.lockPause(projectId, nowMs));
      const paused = (nowMs: number) => opened.run((tx) => tx.budgetQueue.paused(nowMs));
      await change('docs', { ...pause, refusals: 1 });
      await change('docs', pause);
      await change('site', { ...pause, untilMs: NOW_MS + 1_000 });
      expect([await pauseAt(NOW_MS), await pauseAt(NOW_MS, 'nowhere')]).toEqual([pause, null]);
      // The next goes out alone until it is taken.
      expect(await pauseAt(NOW_MS + 60_000)).toEqual(pause);
      const docs = { projectId: 'docs', atMs: NOW_MS, untilMs: NOW_MS + 60_000 };
      expect(await paused(NOW_MS + 1_000)).toEqual([docs]);
      expect(await paused(NOW_MS + 60_000)).toEqual([]);
      // The clock was set back since.
      expect([await pauseAt(NOW_MS - 600_000), await paused(NOW_MS - 600_000)]).toEqual([null, []]);
      await change('docs', null);
      expect(await pauseAt(NOW_MS)).toBeNull();
    });
  });
}
