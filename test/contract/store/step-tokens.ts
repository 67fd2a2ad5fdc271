import { describe, expect, test } from 'vitest';
import { StepTokens } from '../../../src/features/workflow-step/start.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aDecision, aJob, NOW_MS } from './samples.ts';

export function stepTokenContract(open: OpenStore): void {
  describe('tokens of steps', () => {
    const opened = useStore(open);
    const kept = () =>
      opened.run(async (tx) => {
        await tx.write(aDecision({ job: aJob({ id: 'job-1' }) }), NOW_MS);
        await tx.queries(StepTokens).keep('job-1', 'token-1', NOW_MS + 1_000);
      });
    const token = (nowMs: number) => opened.run((tx) => tx.queries(StepTokens).get('job-1', nowMs));

    test('a token is there until it is no longer valid', async () => {
      expect(await token(NOW_MS)).toBeNull();
      await kept();
      expect(await token(NOW_MS + 999)).toBe('token-1');
      expect(await token(NOW_MS + 1_000)).toBeNull();
    });

    test('a token that is forgotten is gone', async () => {
      await kept();
      await opened.run((tx) => tx.queries(StepTokens).forget('job-1'));
      expect(await token(NOW_MS)).toBeNull();
    });
  });
}
