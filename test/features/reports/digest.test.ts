import { describe, expect, test } from 'vitest';
import { planSchedules } from '../../../src/engine/schedules.ts';
import { DIGEST, digestIn, postDigest } from '../../../src/features/reports/digest.ts';
import { createTally } from '../../../src/features/reports/report.ts';
import { SlackCallError } from '../../../src/slack/workspace/caller.ts';
import { TOO_MANY_MESSAGES } from '../../../src/slack/workspace/poster.ts';
import type { Workspace } from '../../../src/slack/workspace/workspace.ts';
import { LeaseLostError } from '../../../src/store/store.ts';
import { claimDue } from '../../contract/store/samples.ts';
import { contextAt, plainTools } from '../../engine/support/context.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
type DigestTools = Parameters<typeof postDigest>[0];

const LEASE_MS = 24_000;
const unclear = { outcome: 'unknown', retryAfterMs: null, needsAdmin: false, isPassing: true } as const;
const settings = { digest: { channel: 'C0123456789', schedule: '5 0 * * *', zone: 'UTC' } };

/** A digest that is due in a moment, and a channel that holds what was posted. */
async function start() {
  const { store } = await onSqlite();
  const clock = createTestClock(Date.UTC(2026, 5, 1));
  const channel: string[] = [];
  const periods: string[][] = [];
  const slack = {
    find: async (callId: string, _sinceMs: number) => (channel.includes(callId) ? '1700000000.000100' : null),
    post: async (callId: string) => {
      channel.push(callId);
      return '1700000000.000100';
    },
  };
  const poster = {
    find: ({ callId }: { callId: string }, sinceMs: number) => slack.find(callId, sinceMs),
    post: ({ callId }: { callId: string }) => slack.post(callId),
  };
  const workspace = { poster } as unknown as Workspace;
  const settingTools = (given: object): DigestTools => ({
    ...plainTools,
    ...{ store, clock, featureSettingsOf: () => given, stopping: new AbortController().signal },
    newContext: () => contextAt(clock.now()),
    workspaces: { of: async () => workspace, ofRequest: async () => workspace },
    reportOf: async (_teamId, period = { sinceMs: 0, untilMs: 0 }) => {
      periods.push([period.sinceMs, period.untilMs].map((atMs) => new Date(atMs).toISOString().slice(0, 16)));
      const tally = createTally(period, []);
      return tally.report({ peak_per_hour: 0, limit: 100 });
    },
  });
  const tools = settingTools(settings);
  const claim = async () => {
    const leaseUntilMs = clock.now() + LEASE_MS;
    const [task] = await store.transaction((tx) =>
      claimDue(tx, ['post_digest'], clock.now(), { leaseUntilMs, limit: 1 }),
    );
    return task ?? null;
  };
  /** Returns whether there was anything to do. */
  const runDue = async (by = tools) => {
    const task = await claim();
    if (task !== null) await postDigest(by, task);
    return task !== null;
  };
  const { schedule } = digestIn(settings) ?? {};
  if (schedule === undefined) throw new Error('there is no digest');
  const recurring = { kind: 'post_digest', name: DIGEST, schedule } as const;
  await store.transaction((tx) => planSchedules(tx, 'T1', [recurring], clock.now()));
  await clock.advance(5 * MINUTE_MS);
  return { store, clock, channel, periods, slack, tools, claim, runDue, withNone: settingTools({}) };
}

describe('a digest (L4)', () => {
  test('whose moment falls to a replica with older settings, without it, is posted within an hour', async () => {
    const { clock, channel, runDue, withNone } = await start();
    expect(await runDue(withNone)).toBe(true);
    expect(channel).toEqual([]);
    await clock.advance(HOUR_MS);
    expect(await runDue()).toBe(true);
    expect(channel).toHaveLength(1);
  });

  test('is posted once if a process is frozen before its post, and another takes over', async () => {
    const { clock, channel, tools, claim, runDue } = await start();
    const frozen: DigestTools = {
      ...tools,
      reportOf: async (...asked) => {
        await clock.advance(LEASE_MS);
        expect(await runDue()).toBe(true);
        return tools.reportOf(...asked);
      },
    };
    const task = await claim();
    if (task === null) throw new Error('nothing is due');
    await expect(postDigest(frozen, task)).rejects.toThrow(LeaseLostError);
    expect(channel).toHaveLength(1);
  });

  test('is about the time since the one before, whatever its schedule, a downtime included', async () => {
    const { clock, periods, runDue } = await start();
    for (const days of [1, 3, 1]) {
      await runDue();
      await clock.advance(days * 24 * HOUR_MS);
      // The task is due once an hour, and only the moments count.
      await runDue();
    }
    expect(periods).toEqual([
      ['2026-05-31T00:05', '2026-06-01T00:05'],
      ['2026-06-01T00:05', '2026-06-02T00:05'],
      ['2026-06-02T00:05', '2026-06-05T00:05'],
      ['2026-06-05T00:05', '2026-06-06T00:05'],
    ]);
  });

  test('is posted where thousands have written since its moment, and looked for since its attempt', async () => {
    const { clock, channel, slack, runDue } = await start();
    const { find, post } = slack;
    const momentMs = clock.now();
    slack.post = async () => {
      slack.post = post;
      throw new SlackCallError('chat.postMessage', { ...unclear, code: 'reset' }, null);
    };
    slack.find = async (callId, sinceMs) => {
      if (sinceMs < momentMs + HOUR_MS)
        throw new SlackCallError('', { ...unclear, code: TOO_MANY_MESSAGES }, null);
      return find(callId, sinceMs);
    };
    await clock.advance(HOUR_MS);
    await runDue();
    expect(channel).toEqual([]);
    await clock.advance(MINUTE_MS);
    await runDue();
    expect(channel).toHaveLength(1);
  });
});
