import { expect, test } from 'vitest';
import { type MadeReport, Tally } from '../../../src/jobs/report/report.ts';
import { report } from '../../../src/slack/inbound/commands/doctor.ts';
import { commandOf, type ListenerDeps } from '../../../src/slack/inbound/listener.ts';
import { policy } from '../../jobs/support/builders.ts';
import { createTestClock } from '../../support/test-clock.ts';

test('a report that takes long is announced while Slack waits, and shown when it is counted (L4)', async () => {
  const clock = createTestClock(0);
  const { promise, resolve } = Promise.withResolvers<MadeReport>();
  const said: string[] = [];
  const say = async (message: unknown) => {
    said.push(JSON.stringify(message));
  };
  const deps = {
    ...{ clock, teamId: 'T1', projects: [{ id: 'docs', name: 'docs' }], workspaceUrl: null },
    newContext: () => ({ policy }),
    access: { isAdmin: async () => true },
    reportOf: () => promise,
  };
  const args = { command: { user_id: 'U1' }, ack: say, respond: say };
  const ready = deps as unknown as ListenerDeps;
  const done = report(ready, commandOf(ready, args as unknown as Parameters<typeof commandOf>[1]));
  await clock.advance(2_000);
  expect(said).toEqual([expect.stringContaining('Counting')]);
  const tally = new Tally({ sinceMs: 0, untilMs: 0 });
  resolve({ report: tally.report({ peak_per_hour: 0, limit: 100 }), leftToDo: tally.leftToDo() });
  await done;
  expect(said).toEqual([expect.any(String), expect.stringContaining('No requests')]);
});
