import { expect, test } from 'vitest';
import { SlackCallError, type SlackFailure, withSecondTry } from '../../../src/slack/workspace/caller.ts';
import { createTestClock } from '../../support/test-clock.ts';

const failed = (over: Partial<SlackFailure>) =>
  new SlackCallError(
    'users.info',
    { outcome: 'retry', code: 'x', retryAfterMs: null, needsAdmin: false, isPassing: false, ...over },
    null,
  );

/** Answers in turn; null: never. */
function asking(...answers: readonly (string | Error | null)[]) {
  const asked = { count: 0 };
  const ask = async () => {
    const answer = answers[asked.count];
    asked.count += 1;
    if (answer === null) return new Promise<string>(() => {});
    if (answer instanceof Error) throw answer;
    return answer ?? 'asked too often';
  };
  return { asked, ask };
}

test.each([
  ['a connection that was not made', failed({ outcome: 'retry' })],
  ['an answer that was lost', failed({ outcome: 'unknown' })],
])('%s is met by another try, at once', async (_what, error) => {
  const { asked, ask } = asking(error, 'Alice');
  expect(await withSecondTry(ask, createTestClock(0))).toBe('Alice');
  expect(asked.count).toBe(2);
});

test.each([
  ['nobody of that id', failed({ outcome: 'refused' })],
  ['a token that an administrator must mend', failed({ needsAdmin: true })],
  ['a limit of Slack', failed({ retryAfterMs: 30_000 })],
  ['an error of the program', new TypeError('x')],
])('%s is not', async (_what, error) => {
  const { asked, ask } = asking(error);
  await expect(withSecondTry(ask, createTestClock(0))).rejects.toBe(error);
  expect(asked.count).toBe(1);
});

test('a second failure is reported', async () => {
  const second = failed({ code: 'again' });
  const { ask } = asking(failed({}), second);
  await expect(withSecondTry(ask, createTestClock(0))).rejects.toBe(second);
});

test('a question that is not answered for a while is asked again, before the person would be refused', async () => {
  const clock = createTestClock(0);
  const { asked, ask } = asking(null, 'Alice');
  const answer = withSecondTry(ask, clock);
  await clock.advance(300);
  expect(asked.count).toBe(1);
  await clock.advance(200);
  expect(await answer).toBe('Alice');
});
