import { expect, test } from 'vitest';
import { report } from '../../../src/features/reports/index.ts';
import { createTally, type MadeReport } from '../../../src/features/reports/report.ts';
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
    ...{ clock, teamId: 'T1', workspaceUrl: null },
    newContext: () => ({ policy }),
    access: { isAdmin: async () => true },
    poster: { respondPrivately: async (_user: string, _url: string, message: unknown) => say(message) },
  };
  const args = { command: { user_id: 'U1' }, ack: say, respond: say };
  const ready = deps as unknown as ListenerDeps;
  const command = commandOf(ready, args as unknown as Parameters<typeof commandOf>[1]);
  const done = report(ready, command, () => promise);
  await clock.advance(2_000);
  expect(said).toEqual([expect.stringContaining('Counting')]);
  const tally = createTally({ sinceMs: 0, untilMs: 0 }, []);
  resolve(tally.report({ peak_per_hour: 0, limit: 100 }));
  await done;
  expect(said).toEqual([expect.any(String), expect.stringContaining('No requests')]);
});
