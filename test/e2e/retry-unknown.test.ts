import { expect, test } from 'vitest';
import { startProgram } from '../support/strict-slack/program.ts';

const HOUR_MS = 3_600_000;

test('AGENT_RETRY_UNKNOWN=all: calls that may have been made count in the hourly budget', async () => {
  await using program = await startProgram({
    settings: { AGENT_RETRY_UNKNOWN: 'all', AGENT_HOURLY_BUDGET: '2' },
  });
  const { api, clock } = program;
  api.failNext('create', { status: 500 }, { status: 500 });
  const askedAtMs = clock.now();
  await program.ask('Add a quickstart');
  const creates = () => api.requests.filter(({ path }) => path.endsWith('/job'));
  await program.later(
    () => creates().length,
    (count) => count === 2,
    'the second call',
  );
  for (let minute = 0; minute < 30; minute += 1) await clock.advance(60_000);
  expect(creates()).toHaveLength(2);
  await clock.advanceTo(askedAtMs + HOUR_MS);
  await program.later(() => api.jobs.length, Boolean, 'the job, when the budget has room');
  expect(clock.now()).toBeGreaterThan(askedAtMs + HOUR_MS);
  expect(creates()).toHaveLength(3);
});
