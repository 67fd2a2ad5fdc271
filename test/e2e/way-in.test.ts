import { Session } from 'node:inspector/promises';
import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';

const SOURCES = new URL('../../src/', import.meta.url).pathname;

/** Its card and its job are begun beside the acknowledgement, or not yet. */
const BEGUN_BESIDE = /^(?:slack\/(?:outbound|views)|agent)\//;

test('from a command to its acknowledgement, at most 54 files run', async () => {
  await using program = await startProgram({ mode: 'http' });
  // The first one also finds out who the person is, which is known from then on.
  await program.ask('Add a quickstart');
  await program.later(() => program.api.jobs.length, 1, 'the job');
  using session = Object.assign(new Session(), { [Symbol.dispose]: () => session.disconnect() });
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await program.slack.control.command({ channel: general, user: alice, text: 'Document the rate limits' });
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result.flatMap(({ url, functions }) => {
    const ran = functions.some(
      ({ functionName, ranges: [range] }) => functionName !== '' && (range?.count ?? 0) > 0,
    );
    return url.includes(SOURCES) && ran ? [url.slice(url.indexOf(SOURCES) + SOURCES.length)] : [];
  });
  const wayIn = files.filter((file) => !BEGUN_BESIDE.test(file));
  expect(wayIn).toContain('slack/inbound/commands.ts');
  expect(wayIn.length, wayIn.join('\n')).toBeLessThanOrEqual(54);
});
