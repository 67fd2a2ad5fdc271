import { expect, test } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import type { ChildEnv } from '../support/child-program.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { alice } from '../support/local-slack.ts';
import { reportAt } from './support/printed.ts';

const PR = 'https://github.com/acme/docs/pull/7';

/** One request is done, and one has failed and was started again; returns when. */
async function work(world: StrictWorld): Promise<number> {
  const { api, slack } = world;
  const done = await world.working('Add an install guide');
  for (const { id } of api.jobs) api.finish(id, { status: 'completed', prLink: PR });
  await world.threadMessage(done, PR);
  const failed = await world.working('Explain the webhooks');
  api.finish(1, { status: 'failed' });
  const offer = await world.threadMessage(failed, 'Failed');
  await world.clock.advance(60_000);
  const againAtMs = world.clock.now();
  await slack.control.press(offer, 'start_again', alice);
  await world.settled();
  return againAtMs;
}

describeOnDatabases('report', (make) => {
  test('says in JSON, beside the running service, what became of the requests (L4)', async () => {
    const { location, remove } = await make();
    const place: ChildEnv =
      'dataDir' in location ? { DATA_DIR: location.dataDir } : { DATABASE_URL: location.databaseUrl };
    {
      await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0', ...place } });
      const againAtMs = await work(world);
      const nowMs = world.clock.now() + 1;
      const json = await reportAt(nowMs, place, '--format', 'json', '--since', '1d');
      const { since, until, ...counts } = JSON.parse(json);
      expect(Date.parse(until) - Date.parse(since)).toBe(86_400_000);
      const none = { form: 0, mention: 0, direct_message: 0, shortcut: 0, home: 0, reaction: 0 };
      expect(counts).toEqual({
        starts: {
          total: 3,
          by_source: { command: 2, ...none, workflow: 0, schedule: 0, webhook: 0, again: 1 },
        },
        ends: { pull_request: 1, done: 0, failed: 1, refused: 0, gone: 0, archived: 0 },
        unclear: { starts: 0, replies: 0 },
        open: 1,
        pull_requests: { open: 0, merged: 0, closed: 0, unknown: 1 },
        seconds_to_pull_request: { median: expect.any(Number), p90: expect.any(Number) },
        budget: { peak_per_hour: 3, limit: 100 },
      });
      const sinceAgain = ['--since', `${nowMs - againAtMs + 1_000}ms`];
      expect(JSON.parse(await reportAt(nowMs, place, '--format', 'json', ...sinceAgain))).toMatchObject({
        starts: { total: 1, by_source: { command: 0, again: 1 } },
        open: 1,
      });
      await world.service.stop();
      const csv = await reportAt(nowMs, place, '--format', 'csv');
      expect(csv).toContain('measure,value\nsince,20');
      expect(csv).toContain('\nstarts.by_source.again,1\n');
      expect(csv).toMatch(/\nbudget\.limit,100$/);
    }
    await remove();
  });
});

test.each([
  [['--since', 'yesterday'], '--since must be a duration with a unit, such as 24h or 7d.'],
  [['--since', '0'], '--since must be a duration with a unit, such as 24h or 7d.'],
  [['--since', '7'], '--since must be a duration with a unit, such as 24h or 7d.'],
  [['--since', ''], '--since must be a duration with a unit, such as 24h or 7d.'],
  [['--format', 'xml'], '--format must be table, csv or json.'],
])('report %j is not understood', async (args, words) => {
  await expect(reportAt(Date.now(), {}, ...args)).rejects.toThrow(new UsageError(words));
});
