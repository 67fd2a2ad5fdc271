import { expect, onTestFinished, test } from 'vitest';
import { startAgentApi } from '../../demo/agent-api/agent-api.ts';
import { type CodeHost, startCodeHost } from '../../demo/code-host/code-host.ts';
import { DemoLife } from '../../demo/code-host/demo-life.ts';
import { createTestClock } from '../support/test-clock.ts';

const prLink = 'https://github.com/acme/docs/pull/3';

async function start() {
  const clock = createTestClock(Date.now());
  const host = await startCodeHost({ token: 'demo', clock });
  onTestFinished(() => host.close());
  return { clock, life: new DemoLife(host, clock), pull: () => asked(host) };
}

/** Of all that GitHub would say, what is looked at here. */
interface Said extends Array<{ readonly state: string }> {
  readonly title: string;
  readonly state: string;
  readonly merged: boolean;
  readonly merged_by: { readonly login: string };
  readonly head: { readonly sha: string };
  readonly check_runs: readonly { readonly conclusion: string | null; readonly status: string }[];
}

/** What GitHub would say of the pull request. */
async function asked({ githubApiUrl }: CodeHost) {
  const get = async (path: string) => {
    const response = await fetch(`${githubApiUrl}/repos/acme/docs/${path}`, {
      headers: { authorization: 'Bearer demo' },
    });
    return (await response.json()) as Said;
  };
  const { title, state, merged, merged_by, head } = await get('pulls/3');
  const { check_runs } = await get(`commits/${head.sha}/check-runs`);
  const reviews = await get('pulls/3/reviews');
  return {
    title,
    state: merged ? `merged by ${merged_by.login}` : state,
    check: check_runs[0]?.conclusion ?? check_runs[0]?.status,
    reviews: reviews.map((review) => review.state),
  };
}

test('a pull request of the demo is checked, approved and merged by itself, within a minute', async () => {
  const { clock, life, pull } = await start();
  life.changed(prLink, ['Add a quickstart\nwith npx']);
  expect(await pull()).toMatchObject({ title: 'Add a quickstart', state: 'open', check: 'in_progress' });
  await clock.advance(30_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success', reviews: ['APPROVED'] });
  await clock.advance(30_000);
  expect(await pull()).toMatchObject({ state: 'merged by carol' });
});

test('with "red" its checks fail and it stays open, with "close" it is closed', async () => {
  const { clock, life, pull } = await start();
  life.changed(prLink, ['Add a quickstart: red']);
  await clock.advance(60_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'failure', reviews: [] });
  life.changed(prLink, ['Add a quickstart: red', 'Then close it']);
  expect(await pull()).toMatchObject({ check: 'in_progress' });
  await clock.advance(60_000);
  expect(await pull()).toMatchObject({ state: 'closed', check: 'success' });
});

test('a reply changes it, and it starts over; what is over stays so', async () => {
  const { clock, life, pull } = await start();
  life.changed(prLink, ['Add a quickstart']);
  await clock.advance(40_000);
  life.changed(prLink, ['Add a quickstart', 'Mention npx']);
  await clock.advance(40_000);
  expect(await pull()).toMatchObject({ state: 'open', check: 'success' });
  await clock.advance(10_000);
  expect(await pull()).toMatchObject({ state: 'merged by carol' });
  life.changed(prLink, ['Add a quickstart', 'Mention npx', 'And yarn']);
  expect(await pull()).toMatchObject({ state: 'merged by carol', check: 'success' });
});

test("the demo's agent tells of a pull request when it is first seen, and after each further turn", async () => {
  const clock = createTestClock(Date.now());
  const told: string[] = [];
  const api = await startAgentApi({
    apiKey: 'key',
    projectId: 'docs',
    clock,
    script: () => ({ workMs: 10_000, ending: 'pull_request' }),
    onPullRequest: (link, { prompts }) => told.push(`${link} after ${prompts.length}`),
  });
  onTestFinished(() => api.close());
  const call = (path: string, prompt?: string) =>
    fetch(`${api.baseUrl}/v2/agent/docs/job${path}`, {
      headers: { authorization: 'Bearer key' },
      ...(prompt === undefined ? {} : { method: 'POST', body: JSON.stringify({ prompt }) }),
    });
  await call('', 'Add a quickstart');
  const job = `/${api.jobs[0]?.id}`;
  await call(job);
  expect(told).toEqual([]);
  await clock.advance(10_000);
  await call(job);
  await call(job);
  const first = 'https://github.com/acme/docs/pull/1 after 1';
  expect(told).toEqual([first]);
  await call(`${job}/message`, 'Mention npx');
  await clock.advance(10_000);
  await call(job);
  expect(told).toEqual([first, 'https://github.com/acme/docs/pull/1 after 2']);
});
