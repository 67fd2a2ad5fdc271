import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../src/store/backup.ts';
import { beside } from '../support/beside.ts';
import { has } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { scrape } from '../support/scraped.ts';
import type { ProgramOptions } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

const FRESH_MS = 5_000;
const live = [200, { ok: true }];
const checks = { store: 'ok', slack: 'ok', work: 'ok' };
const allWell = [live, [200, { ok: true, checks }]];
const notReady = (failed: object) => [live, [503, { ok: false, checks: { ...checks, ...failed } }]];

async function start(options: ProgramOptions = {}) {
  const world = await startStrictWorld(options);
  return Object.assign(world, {
    /** What the program shows once it has counted everything before. */
    scraped: async () => {
      await world.clock.advance(FRESH_MS);
      return scrape(world.service);
    },
    /** Lets time run until the series are above zero. */
    counted: (...names: readonly string[]) =>
      world.later(
        () => scrape(world.service),
        (series) => names.every((name) => Number(series[name]) > 0),
        names.join(),
      ),
    /** What /livez and /readyz answer. */
    health: () =>
      Promise.all(
        ['livez', 'readyz'].map(async (path) => {
          const answer = await fetch(`http://127.0.0.1:${world.service.port}/${path}`);
          return [answer.status, await answer.json()];
        }),
      ),
    store: () => beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db')),
  });
}

test.each(['socket', 'http'] as const)(
  'a job from its request to its pull request is counted, in %s mode; no label holds an id, or words from outside',
  async (mode) => {
    await using world = await start({ mode });
    const { api, slack } = world;
    const card = await world.ask('Document the rate limits');
    await world.started('Document the rate limits');
    slack.onDelivery(() => 2);
    await slack.control.reply(card, 'And the retries');
    await world.later(() => world.prompts()[0], has(2), 'the follow-up at the API');
    expect(await world.scraped()).toMatchObject({
      'docs_agent_open_jobs{stage="working"}': 1,
      'docs_agent_hourly_budget_left{project="acme-docs"}': 98,
      docs_agent_hourly_budget: 100,
    });
    slack.onDelivery(() => 1);
    api.finish(0, { status: 'gone-fishing' });
    await world.shows(card, 'gone-fishing');
    api.finish(0, { status: 'completed', prLink: 'https://example.com/pull/1' });
    await world.threadMessage(card, 'https://example.com/pull/1');
    slack.control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
    slack.control.invite(general, 'U0GUEST');
    await world.command('Document the errors', 'U0GUEST');
    await world.settled();
    const ignored = 'docs_agent_inbound_requests_total{kind="message",outcome="ignored"}';
    const before = (await world.scraped())[ignored] ?? 0;
    await world.say('Lunch?', { user: bob });

    const series = await world.scraped();
    expect(series).toMatchObject({
      'docs_agent_inbound_requests_total{kind="command",outcome="accepted"}': 1,
      'docs_agent_inbound_requests_total{kind="message",outcome="accepted"}': 1,
      'docs_agent_inbound_requests_total{kind="message",outcome="duplicate"}': 1,
      'docs_agent_inbound_requests_total{kind="command",outcome="refused"}': 1,
      [ignored]: before + 1,
      'docs_agent_inbound_requests_total{kind="command",outcome="failed"}': 0,
      'docs_agent_inbound_request_acknowledgement_seconds_count{kind="command"}': 2,
      'docs_agent_agent_calls_total{method="create_job",outcome="done",reason="none"}': 1,
      'docs_agent_agent_calls_total{method="send_message",outcome="done",reason="none"}': 1,
      'docs_agent_agent_calls_total{method="create_job",outcome="unknown",reason="server_error"}': 0,
      'docs_agent_agent_call_seconds_count{method="create_job"}': 1,
      'docs_agent_checks_total{outcome="changed"}': expect.any(Number),
      'docs_agent_checks_total{outcome="unchanged"}': expect.any(Number),
      'docs_agent_post_lag_seconds_count{post="announce"}': expect.any(Number),
      'docs_agent_slack_calls_total{method="chat.postMessage",outcome="done"}': expect.any(Number),
      'docs_agent_slack_call_seconds_count{method="chat.update"}': expect.any(Number),
      'docs_agent_tasks_total{task="call_agent",outcome="done"}': expect.any(Number),
      'docs_agent_store_transactions_total{outcome="done"}': expect.any(Number),
      'docs_agent_open_jobs{stage="working"}': 0,
      'docs_agent_due_tasks{loop="check",task="check_job"}': 0,
      'docs_agent_oldest_due_task_seconds{loop="check",task="check_job"}': 0,
      'docs_agent_loop_up{loop="send"}': 1,
      'docs_agent_loop_tasks_in_flight{loop="slack"}': 0,
      docs_agent_slack_connection_up: 1,
      docs_agent_store_up: 1,
      docs_agent_data_dir_free_bytes: expect.any(Number),
      process_resident_memory_bytes: expect.any(Number),
      process_cpu_seconds_total: expect.any(Number),
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
    });
    const names = Object.keys(series).join('\n');
    for (const id of [alice, general, card.ts, api.jobs[0]?.id ?? '', 'Document', 'gone-fishing']) {
      expect(names).not.toContain(id);
    }
  },
);

test('what fails is counted by how it failed, and the lag of a post once it was found', async () => {
  await using world = await start();
  const { api, slack } = world;
  let isLost = false;
  slack.onCall(({ method }) => {
    if (method !== 'chat.postMessage' || isLost) return null;
    isLost = true;
    return { errorAfter: 'internal_error' };
  });
  await world.working('Document the errors');
  expect(await world.scraped()).toMatchObject({
    'docs_agent_post_lag_seconds_count{post="post_card"}': 1,
  });
  api.failNext('create', { status: 500 });
  await world.ask('Document the rate limits');
  await world.counted(
    'docs_agent_agent_calls_total{method="create_job",outcome="unknown",reason="server_error"}',
  );
  api.failAll({ status: 401 });
  slack.onCall(({ method }) => (method === 'chat.update' ? { error: 'token_revoked' } : null));
  await world.ask('Document the webhooks');
  const series = await world.counted(
    'docs_agent_slack_calls_total{method="chat.update",outcome="needs_admin"}',
    'docs_agent_agent_calls_total{method="create_job",outcome="definite",reason="unauthorized"}',
    'docs_agent_log_events_total{level="warn",event="agent_called"}',
    'docs_agent_task_retries_total{task="call_agent"}',
  );
  expect(series['docs_agent_oldest_due_task_seconds{loop="send",task="call_agent"}']).toBeLessThan(60);
});

test('a store that cannot be written is down, and the program not ready; metrics are reported all the while', async () => {
  await using world = await start({ mode: 'http' });
  // Then it holds no lock.
  await world.settled();
  expect(await world.health()).toEqual(allWell);
  const file = world.store();
  const fail = (when: string) =>
    file.execute(`create trigger fault before ${when} begin select raise(abort, 'the disk is gone'); end`);
  await fail('insert on inbound_request');
  await world.command('Document the rate limits');
  expect(await world.scraped()).toMatchObject({
    'docs_agent_inbound_requests_total{kind="command",outcome="failed"}': 1,
    'docs_agent_store_transactions_total{outcome="failed"}': expect.any(Number),
    docs_agent_store_up: 1,
  });
  await world.settled();
  await file.execute('drop trigger fault');
  await fail('update on heartbeat');
  await world.scraped();
  expect(await world.scraped()).toMatchObject({ docs_agent_store_up: 0 });
  const store = expect.stringContaining('the disk is gone');
  expect(await world.health()).toEqual(notReady({ store }));
  await file.execute('drop trigger fault');
  await world.scraped();
  expect(await world.health()).toEqual(allWell);
  await file.execute('alter table task rename to away');
  file.close();
  const away = await world.scraped();
  expect(away.docs_agent_store_up).toBe(0);
  // What stands in it is absent.
  expect(Object.keys(away).filter((name) => /open_jobs|due_task|budget_left/.test(name))).toEqual([]);
});

test('what became of the last backup is shown for an embedded store', async () => {
  await using world = await start();
  const dataDir = world.env.DATA_DIR ?? '';
  const expectShown = async (timestamp: number, failed: 0 | 1) =>
    expect(await world.scraped()).toMatchObject({
      docs_agent_last_backup_timestamp_seconds: timestamp,
      docs_agent_backup_failed: failed,
    });
  const backUpTo = (directory: string) => backUp(dataDir, { directory, keep: 1, nowMs: 1_700_000_000_000 });
  await expectShown(0, 0);
  await backUpTo(join(dataDir, 'backups'));
  await expectShown(1_700_000_000, 0);
  await expect(backUpTo(join(dataDir, 'docs-agent.db'))).rejects.toThrow('cannot be written');
  await expectShown(1_700_000_000, 1);
  await backUpTo(join(dataDir, 'backups'));
  await expectShown(1_700_000_000, 0);
});
