import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventFeatures } from '../../../src/app/features.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createCodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { checkPullRequest } from '../../../src/features/pull-requests/follow.ts';
import { PullRequests } from '../../../src/features/pull-requests/queries.ts';
import { parsePullRequestLink } from '../../../src/jobs/pull-requests/link.ts';
import type { LinkedName } from '../../../src/jobs/pull-requests/pull-request.ts';
import type { Store } from '../../../src/store/store.ts';
import { onSqlite } from '../../engine/support/test-store.ts';
import { policy } from '../../jobs/support/builders.ts';
import { aJob } from '../../support/a-job.ts';
import { type CodeHost, startCodeHost } from '../../support/code-host/code-host.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const START_MS = Date.UTC(2026, 10, 23, 9);
const MINUTE_MS = 60_000;
const TOKEN = 'token-of-the-tests';

let clock: TestClock;
let store: Store;
let host: CodeHost;
let tools: Parameters<typeof checkPullRequest>[0];
const stopping = new AbortController();

beforeEach(async () => {
  clock = createTestClock(START_MS);
  ({ store } = await onSqlite());
  host = await startCodeHost({ token: TOKEN, clock });
  const log = createLogger({ level: 'error', destination: { write: () => {} } });
  const { webUrl, githubApiUrl: apiUrl } = host;
  const credentials = { kind: 'token', token: TOKEN } as const;
  const codeHosts = createCodeHosts([{ host: 'github', webUrl, apiUrl, credentials }], { clock, log });
  onTestFinished(async () => {
    await codeHosts.close();
    await host.close();
  });
  const sites = [{ host: 'github', webUrl }] as const;
  const newContext = () => ({
    ...{ nowMs: clock.now(), jitter: 0.5, newId: randomUUID },
    policy: {
      ...policy,
      noticeChannels: [],
      pullRequests: { ...policy.pullRequests, sites, watchedSites: sites },
    },
    features: eventFeatures,
    rulesOf: () => ({ projects: [], channels: new Map(), noticeChannels: [] }),
  });
  tools = {
    store,
    clock,
    log,
    stopping: stopping.signal,
    newContext,
    codeHosts,
    people: async (_teamId, _url, reviewers) => reviewers,
  };
});

/** A job that announced this link. */
async function announce(id: string, url: string): Promise<void> {
  const job = aJob({
    id,
    announcedPrLink: url,
    requestedAtMs: clock.now(),
    threadTs: `${id}.0`,
    stage: { kind: 'ended', status: 'completed', sinceMs: 0 },
  });
  const key = parsePullRequestLink(url, tools.newContext().policy.pullRequests.sites)?.key ?? '';
  await store.transaction(async (tx) => {
    await tx.write({ job, followUps: [], calls: [], tasks: [] }, clock.now());
    await tx.queries(PullRequests).watch(job, { key, url }, clock.now());
  });
}

/** Makes the looks that are due, and returns how many. */
async function look(): Promise<number> {
  const tasks = await store.transaction((tx) =>
    tx.tasks.claim({
      kinds: ['look_at_pull_request'],
      nowMs: clock.now(),
      leaseNowMs: clock.now(),
      leaseUntilMs: clock.now() + 1,
      inFlight: [],
      limit: 9,
    }),
  );
  for (const task of tasks) await checkPullRequest(tools, task);
  return tasks.length;
}

const nextLookMs = async () => {
  const dueAtMs = await store.transaction((tx) => tx.tasks.nextDueAtMs(['look_at_pull_request']));
  return Number.isFinite(dueAtMs) ? dueAtMs - clock.now() : null;
};

const newsOf = (id: string) =>
  store.transaction(async (tx) =>
    (await tx.lists.callsOf(id)).flatMap(({ request }) =>
      request.kind === 'announce' && request.announcement.kind === 'review_news'
        ? request.announcement.news.flatMap(({ names }) => names.map(({ name, userId }) => userId ?? name))
        : [],
    ),
  );

describe('reviewers (P5)', () => {
  test('are told once somebody can say who they are, or the second time that nobody can', async () => {
    const pull = host.open({ repository: 'acme/docs' });
    await announce('1', host.githubLink(pull));
    const known: (readonly LinkedName[])[] = [];
    const people: typeof tools.people = async (_teamId, _url, reviewers, before) => {
      known.push(before);
      return reviewers.map((one) => ({
        ...one,
        userId: one.name === 'Bob' ? 'U2' : before.length > 0 ? 'U3' : null,
      }));
    };
    tools = { ...tools, people };
    const again = async () => {
      await clock.advance((await nextLookMs()) ?? 0);
      await look();
    };
    pull.ask('Bob');
    pull.ask('carol');
    await look();
    expect(await newsOf('1')).toEqual(['U2']);
    await again();
    expect(await newsOf('1')).toEqual(['U2', 'U3']);
    await again();
    expect(await newsOf('1')).toEqual(['U2', 'U3']);
    expect(known.map((before) => before.map(({ userId }) => userId))).toEqual([
      [],
      ['U2', null],
      ['U2', 'U3'],
    ]);
  });
});

describe('a look at a pull request', () => {
  test('asks with what the last one was answered, and costs nothing while nothing changes (P3)', async () => {
    const pull = host.open({ repository: 'acme/docs' });
    await announce('job-1', host.githubLink(pull));
    await look();
    const { remaining } = host.limit;
    await clock.advance(MINUTE_MS);
    expect(await look()).toBe(1);
    expect(host.limit.remaining).toBe(remaining);
  });
});
