import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { backUp } from '../../src/store/backup.ts';
import { beside } from '../support/beside.ts';
import { has } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { scrape } from '../support/scraped.ts';
import type { Program } from '../support/strict-slack/program.ts';
import { startStrictWorld } from './support/strict-world.ts';

const FRESH_MS = 5_000;

/** What the program logs once it has logged everything before. */
async function scraped({ clock, service }: Program) {
  await clock.advance(FRESH_MS);
  return scrape(service);
}

/** What /livez and /readyz answer. */
async function health({ service: { port } }: Program) {
  const answers = await Promise.all(
    ['livez', 'readyz'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)),
  );
  return Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
}

const live = [200, { ok: true }];
const checks = { store: 'ok', slack: 'ok', work: 'ok' };
const allWell = [live, [200, { ok: true, checks }]];
const notReady = (failed: object) => [live, [503, { ok: false, checks: { ...checks, ...failed } }]];

for (const mode of ['socket', 'http'] as const) {
  test(`a job from its request to its pull request is counted, in ${mode} mode`, async () => {
    await using world = await startStrictWorld({ mode });
    const { slack, api } = world;
    const card = await world.ask('Document the rate limits');
    await world.started('Document the rate limits');
    slack.onDelivery(() => 2);
    await slack.control.reply(card, 'And the retries');
    await world.later(() => world.prompts()[0], has(2), 'the follow-up at the API');
    expect(await scraped(world)).toMatchObject({
      'docs_agent_open_jobs{stage="working"}': 1,
      'docs_agent_hourly_budget_left{project="acme-docs"}': 98,
      docs_agent_hourly_budget: 100,
    });
    const [job] = api.jobs;
    api.finish(job?.id ?? '', { status: 'completed', prLink: 'https://example.com/pull/1' });
    await world.threadMessage(card, 'https://example.com/pull/1');
    await world.settled();

    expect(await scraped(world)).toMatchObject({
      'docs_agent_inbound_requests_total{kind="command",outcome="accepted"}': 1,
      'docs_agent_inbound_requests_total{kind="message",outcome="accepted"}': 1,
      'docs_agent_inbound_requests_total{kind="message",outcome="duplicate"}': 1,
      'docs_agent_inbound_requests_total{kind="command",outcome="failed"}': 0,
      'docs_agent_inbound_request_acknowledgement_seconds_count{kind="command"}': 1,
      'docs_agent_agent_calls_total{method="create_job",outcome="done",reason="none"}': 1,
      'docs_agent_agent_calls_total{method="send_message",outcome="done",reason="none"}': 1,
      'docs_agent_agent_calls_total{method="create_job",outcome="unknown",reason="server_error"}': 0,
      'docs_agent_agent_call_seconds_count{method="create_job"}': 1,
      'docs_agent_checks_total{outcome="changed"}': 1,
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
      process_resident_memory_bytes: expect.any(Number),
      process_cpu_seconds_total: expect.any(Number),
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
    });
  });
}

test('no label holds the id of a person, a channel or a job, nor words from outside', async () => {
  await using world = await startStrictWorld();
  const card = await world.ask('Document the rate limits');
  await world.started('Document the rate limits');
  const [job] = world.api.jobs;
  world.api.finish(job?.id ?? '', { status: 'gone-fishing' });
  await world.later(
    () => world.slack.control.thread(card.channel, card.ts),
    ([root]) => root?.text.includes('gone-fishing') === true,
    'the card to show it',
  );
  const series = Object.keys(await scraped(world)).join('\n');
  for (const id of [alice, general, card.ts, job?.id ?? '', 'Document', 'gone-fishing']) {
    expect(series).not.toContain(id);
  }
});

test('what fails is counted by how it failed', async () => {
  await using world = await startStrictWorld();
  const { api, slack } = world;
  api.failNext('create', { status: 500 });
  await world.ask('Document the rate limits');
  const unknown = 'docs_agent_agent_calls_total{method="create_job",outcome="unknown",reason="server_error"}';
  await world.later(
    () => scrape(world.service),
    (series) => series[unknown] === 1,
    'the unclear start',
  );
  api.failAll({ status: 401 });
  slack.onCall(({ method }) => (method === 'chat.update' ? { error: 'token_revoked' } : null));
  await world.ask('Document the webhooks');
  const refused = [
    'docs_agent_slack_calls_total{method="chat.update",outcome="needs_admin"}',
    'docs_agent_agent_calls_total{method="create_job",outcome="definite",reason="unauthorized"}',
  ];
  const failed = await world.later(
    () => scrape(world.service),
    (series) => refused.every((name) => Number(series[name]) > 0),
    'the refused edit and start',
  );
  expect(failed).toMatchObject({
    'docs_agent_log_events_total{level="warn",event="agent_called"}': expect.any(Number),
  });
  const later = await world.later(
    () => scrape(world.service),
    (series) => Number(series['docs_agent_task_retries_total{task="call_agent"}']) > 0,
    'the retry of the refused prompt',
  );
  expect(later['docs_agent_oldest_due_task_seconds{loop="send",task="call_agent"}']).toBeLessThan(60);
});

test('the lag of a post whose answer was lost is reported, too, once it was found', async () => {
  await using world = await startStrictWorld();
  let isLost = false;
  world.slack.onCall(({ method }) => {
    if (method !== 'chat.postMessage' || isLost) return null;
    isLost = true;
    return { errorAfter: 'internal_error' };
  });
  await world.threadMessage(await world.ask('Document the rate limits'), 'On it');
  expect(await scraped(world)).toMatchObject({
    'docs_agent_post_lag_seconds_count{post="post_card"}': 1,
  });
});

test('a guest who is refused is counted, and so is a message that is none of our business', async () => {
  await using world = await startStrictWorld();
  const { control } = world.slack;
  control.addUser({ id: 'U0GUEST', name: 'gina', isRestricted: true });
  control.invite(general, 'U0GUEST');
  await control.command({ channel: general, user: 'U0GUEST', text: 'Document the rate limits' });
  await control.message({ channel: general, user: bob, text: 'Lunch?' });
  expect(await scraped(world)).toMatchObject({
    'docs_agent_inbound_requests_total{kind="command",outcome="refused"}': 1,
    'docs_agent_inbound_requests_total{kind="message",outcome="ignored"}': 1,
  });
});

test('metrics are reported while the store fails: what stands in it is absent, and the failures are counted', async () => {
  await using world = await startStrictWorld();
  // Then it holds no lock.
  await world.settled();
  const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  await file.execute(
    `create trigger fault before insert on inbound_request begin select raise(abort, 'the disk is gone'); end`,
  );
  await world.slack.control.command({ channel: general, user: alice, text: 'Document the rate limits' });
  expect(await scraped(world)).toMatchObject({
    'docs_agent_inbound_requests_total{kind="command",outcome="failed"}': 1,
    'docs_agent_store_transactions_total{outcome="failed"}': expect.any(Number),
    docs_agent_store_up: 1,
  });
  await world.settled();
  await file.execute('drop trigger fault; alter table task rename to away');
  file.close();
  const away = await scraped(world);
  expect(away.docs_agent_store_up).toBe(0);
  expect(Object.keys(away).filter((series) => /open_jobs|due_task|budget_left/.test(series))).toEqual([]);
});

test.each(['socket', 'http'] as const)(
  'a store that can be read but not written is down, and the program not ready, in %s mode',
  async (mode) => {
    await using world = await startStrictWorld({ mode });
    await world.settled();
    expect(await health(world)).toEqual(allWell);
    const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
    onTestFinished(() => file.close());
    await file.execute(
      `create trigger fault before update on heartbeat begin select raise(abort, 'the disk is gone'); end`,
    );
    await scraped(world);
    expect(await scraped(world)).toMatchObject({ docs_agent_store_up: 0 });
    const store = expect.stringContaining('the disk is gone');
    expect(await health(world)).toEqual(notReady({ store }));
    await file.execute('drop trigger fault');
    await scraped(world);
    expect(await health(world)).toEqual(allWell);
  },
);

test('the room on the disk, and what became of the last backup, are shown for an embedded store', async () => {
  await using world = await startStrictWorld();
  const dataDir = world.env.DATA_DIR ?? '';
  expect(await scraped(world)).toMatchObject({
    docs_agent_data_dir_free_bytes: expect.any(Number),
    docs_agent_last_backup_timestamp_seconds: 0,
    docs_agent_backup_failed: 0,
  });
  const backUpTo = (directory: string) => backUp(dataDir, { directory, keep: 1, nowMs: 1_700_000_000_000 });
  await backUpTo(join(dataDir, 'backups'));
  const made = { docs_agent_last_backup_timestamp_seconds: 1_700_000_000 };
  expect(await scraped(world)).toMatchObject({ ...made, docs_agent_backup_failed: 0 });
  await expect(backUpTo(join(dataDir, 'docs-agent.db'))).rejects.toThrow('cannot be written');
  expect(await scraped(world)).toMatchObject({ ...made, docs_agent_backup_failed: 1 });
  await backUpTo(join(dataDir, 'backups'));
  expect(await scraped(world)).toMatchObject({ ...made, docs_agent_backup_failed: 0 });
});

test('a Slack that cuts the socket is seen, and the program not ready until it is connected again', async () => {
  await using world = await startStrictWorld();
  const connected = async (isUp: 0 | 1) =>
    expect
      .poll(
        async () => {
          await world.clock.advance(10_000);
          return (await scrape(world.service)).docs_agent_slack_connection_up;
        },
        { message: 'the connection' },
      )
      .toBe(isUp);
  world.slack.onCall(({ method }) =>
    method === 'apps.connections.open' ? { error: 'internal_error' } : null,
  );
  world.slack.socket.cut();
  await connected(0);
  const slack = expect.stringMatching(/^no Socket Mode connection for \d+ s$/);
  expect(await health(world)).toEqual(notReady({ slack }));
  world.slack.onCall(() => null);
  await connected(1);
  expect(await health(world)).toEqual(allWell);
});
