import { expect, test } from 'vitest';
import { inTime, withDeadline } from '../../../src/slack/inbound/interaction.ts';
import { createTestClock } from '../../support/test-clock.ts';

const never = () => new Promise<string>(() => {});

test('a request that waits for one slow thing after the other is answered while Slack still waits', async () => {
  const clock = createTestClock(0);
  const startedAtMs = clock.now();
  const answered = withDeadline({ clock }, async () => {
    const answers: string[] = [];
    for (const what of ['person', 'thread', 'store']) {
      answers.push(await inTime({ clock }, 'thread', never(), `no ${what}`));
    }
    return { answers, afterMs: clock.now() - startedAtMs };
  });
  await clock.advance(5_000);
  const { answers, afterMs } = await answered;
  expect(answers).toEqual(['no person', 'no thread', 'no store']);
  expect(afterMs).toBeLessThan(3_000);
});
