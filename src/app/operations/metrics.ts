import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Route } from '#runtime/http-server.ts';
import type { LogFields } from '#runtime/redact.ts';
import { inboundRequestKinds, inboundRequestOutcomes } from '#slack/inbound/connection/requests.ts';
import { type EndedTransaction, transactionOutcomes } from '#store/store.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Observe } from './logger.ts';
import type { ProgramState } from './program-state.ts';

export const { version } = packageJson;

type Named = Readonly<{ name: string; registers: Registry[] }>;
const counter =
  (help: string, labelNames: string[] = []) =>
  (named: Named) =>
    new Counter({ ...named, help, labelNames });
const gauge =
  (help: string, labelNames: string[] = []) =>
  (named: Named) =>
    new Gauge({ ...named, help, labelNames });
const histogram = (help: string, labelNames: string[], buckets: number[]) => (named: Named) =>
  new Histogram({ ...named, help, labelNames, buckets });

const CALL_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

/** Labels have few values: no ids of people, channels or jobs, no text from outside. */
const table = {
  inbound_requests_total: counter('What people did in Slack, as it was delivered.', ['kind', 'outcome']),
  inbound_request_acknowledgement_seconds: histogram(
    'From the arrival of an inbound request to its acknowledgement.',
    ['kind'],
    // Slack's timeout is 3 seconds.
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
  ),
  last_slack_request_timestamp_seconds: gauge(
    'When Slack last delivered a genuine request, since 1970; 0: not since the start.',
  ),
  requests_refused_total: counter(
    'Requests to the address for Slack that Slack did not sign, or that could not be read.',
  ),
  agent_calls_total: counter('Calls to the agent API, by outcome.', ['method', 'outcome', 'reason']),
  agent_call_seconds: histogram('Calls to the agent API.', ['method'], CALL_S),
  checks_total: counter('Checks of the status of a job.', ['outcome']),
  code_host_looks_total: counter('Looks at a pull request at its code host.', ['host', 'outcome']),
  code_host_rate_limit_remaining: gauge('Requests that a code host allows until its limit starts again.', [
    'host',
  ]),
  slack_calls_total: counter("Calls to Slack's Web API, by outcome.", ['method', 'outcome']),
  slack_call_seconds: histogram("Calls to Slack's Web API.", ['method'], CALL_S),
  post_lag_seconds: histogram(
    'From the decision to post (a change of status was seen, say) until it is in Slack.',
    ['post'],
    [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  ),
  tasks_total: counter('Tasks of the due queue that were claimed.', ['task', 'outcome']),
  task_retries_total: counter(
    'Tasks that were claimed again after a failure, a limit, or their minimum spacing had put them off.',
    ['task'],
  ),
  log_events_total: counter('Log events of the levels warn and error.', ['level', 'event']),
  store_transactions_total: counter(
    'Transactions of the store: done, undone by the program, failed, or failed because the disk is full.',
    ['outcome'],
  ),
  log_lines_dropped_total: counter('Lines of the log that were dropped, since nobody read them.'),
  store_transaction_seconds: histogram(
    'Transactions of the store, including their waits.',
    [],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15],
  ),
  loop_up: gauge('1 while the loop looks for work.', ['loop']),
  loop_tasks_in_flight: gauge('Tasks that the loop has in flight.', ['loop']),
  slack_connection_up: gauge('1 while requests can arrive from Slack.'),
  slack_other_connections: gauge(
    'Socket Mode connections of a program that uses the same tokens with another store.',
  ),
  store_up: gauge('1 while the store answers and can be written.'),
  data_dir_free_bytes: gauge('Room on the disk of DATA_DIR, where the embedded store is.'),
  last_backup_timestamp_seconds: gauge(
    'When `docs-agent backup` last made a backup of the embedded store, since 1970; 0: never.',
  ),
  backup_failed: gauge('1 if the last `docs-agent backup` failed.'),
  hourly_budget: gauge('Create and message calls per project and hour.'),
  open_jobs: gauge('Jobs that are not over.', ['stage']),
  due_tasks: gauge('Tasks that are due, those in flight included.', ['loop', 'task']),
  oldest_due_task_seconds: gauge('How long the oldest due task has been due.', ['loop', 'task']),
  failing_tasks: gauge('Tasks whose every try has failed for a minute or longer.', ['loop', 'task']),
  hourly_budget_left: gauge('What is left of the hourly budget.', ['project']),
  build_info: gauge('Always 1; the labels say which version runs, and on which Node.', ['version', 'node']),
};

const ofProcess = new Registry();

type Metrics = { readonly [Name in keyof typeof table]: ReturnType<(typeof table)[Name]> };

export function createMetrics(logLinesDropped = () => 0) {
  const registry = new Registry();
  const registers = [registry];
  const metrics = Object.fromEntries(
    Object.entries(table).map(([name, make]) => [name, make({ name: `docs_agent_${name}`, registers })]),
  ) as Metrics;
  // Once for all: its observers can't be stopped.
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
  metrics.build_info.set({ version, node: process.versions.node }, 1);
  // Otherwise, `increase` and `rate` miss a first count.
  for (const outcome of transactionOutcomes) metrics.store_transactions_total.inc({ outcome }, 0);
  for (const kind of inboundRequestKinds)
    for (const outcome of inboundRequestOutcomes) metrics.inbound_requests_total.inc({ kind, outcome }, 0);
  for (const method of ['create_job', 'send_message', 'cancel_job', 'get_job'])
    for (const reason of ['unreachable', 'server_error', 'bad_answer'])
      metrics.agent_calls_total.inc({ method, outcome: 'unknown', reason }, 0);
  const text = (state: ProgramState) => {
    showState(metrics, state);
    metrics.log_lines_dropped_total.reset();
    metrics.log_lines_dropped_total.inc(logLinesDropped());
    return Registry.merge([registry, ofProcess]).metrics();
  };
  return {
    observe: eventCounter(metrics),
    transaction: ({ outcome, durationMs }: EndedTransaction): void => {
      metrics.store_transactions_total.inc({ outcome });
      metrics.store_transaction_seconds.observe(durationMs / 1000);
    },
    text,
    route: (readState: () => Promise<ProgramState>): Route => ({
      path: '/metrics',
      handle: async (_request, response) => {
        try {
          const body = await text(await readState());
          response.writeHead(200, { 'content-type': registry.contentType }).end(body);
        } catch {
          response.writeHead(500).end();
        }
      },
    }),
  };
}

/** Leaves out unknown values: 0 would mean a full disk or no backup. */
function showState(metrics: Metrics, state: ProgramState) {
  const { loops, store, dataDir } = state;
  for (const { name: loop, problem, tasksInFlight } of loops) {
    metrics.loop_up.set({ loop }, Number(problem === null));
    metrics.loop_tasks_in_flight.set({ loop }, tasksInFlight);
  }
  metrics.slack_connection_up.set(Number(state.isSlackConnected));
  metrics.store_up.set(Number(store !== null));
  metrics.hourly_budget.set(state.hourlyBudget);
  const { data_dir_free_bytes, last_backup_timestamp_seconds, backup_failed } = metrics;
  for (const gauge of [data_dir_free_bytes, last_backup_timestamp_seconds, backup_failed]) gauge.remove();
  if (dataDir !== null) {
    data_dir_free_bytes.set(dataDir.freeBytes);
    last_backup_timestamp_seconds.set(dataDir.lastBackupAtMs / 1000);
    backup_failed.set(Number(dataDir.hasBackupFailed));
  }
  const { open_jobs, due_tasks, oldest_due_task_seconds, failing_tasks, hourly_budget_left } = metrics;
  for (const gauge of [open_jobs, due_tasks, oldest_due_task_seconds, failing_tasks, hourly_budget_left])
    gauge.reset();
  if (store === null) return;
  for (const [stage, count] of store.openJobs) open_jobs.set({ stage }, count);
  for (const { name: loop, tasks } of loops) {
    for (const task of tasks) {
      const isOfTask = ({ kind }: { kind: string }) => kind === task;
      const { count = 0, dueSinceMs = store.nowMs } = store.due.find(isOfTask) ?? {};
      due_tasks.set({ loop, task }, count);
      oldest_due_task_seconds.set({ loop, task }, (store.nowMs - dueSinceMs) / 1000);
      const failing = store.failing.filter(isOfTask).reduce((sum, one) => sum + one.count, 0);
      failing_tasks.set({ loop, task }, failing);
    }
  }
  for (const [project, calls] of store.agentCalls) {
    hourly_budget_left.set({ project }, Math.max(0, state.hourlyBudget - calls));
  }
}

function eventCounter(metrics: Metrics): Observe {
  const agentCall = (method: unknown, { outcome, reason, duration_ms }: LogFields) => {
    count(metrics.agent_calls_total, { method, outcome, reason: outcome === 'done' ? 'none' : reason });
    time(metrics.agent_call_seconds, { method }, duration_ms);
  };
  const task = ({ task, outcome, attempts }: LogFields) => {
    count(metrics.tasks_total, { task, outcome });
    if (typeof attempts === 'number' && attempts > 0) count(metrics.task_retries_total, { task });
  };
  const post = ({ call: post, lag_ms }: LogFields) => time(metrics.post_lag_seconds, { post }, lag_ms);
  const observers: Readonly<Record<string, (fields: LogFields) => void>> = {
    other_program: ({ connections }) => metrics.slack_other_connections.set(Number(connections)),
    request_refused: () => metrics.requests_refused_total.inc(),
    inbound_request: ({ kind, outcome, acknowledged_ms }) => {
      metrics.last_slack_request_timestamp_seconds.setToCurrentTime();
      count(metrics.inbound_requests_total, { kind, outcome });
      time(metrics.inbound_request_acknowledgement_seconds, { kind }, acknowledged_ms);
    },
    agent_called: (fields) => agentCall(fields.call, fields),
    agent_job_read: (fields) => {
      const ofDone = fields.is_changed ? 'changed' : 'unchanged';
      count(metrics.checks_total, { outcome: fields.outcome === 'done' ? ofDone : 'failed' });
      agentCall('get_job', fields);
    },
    code_host_looked: ({ host, outcome, rate_limit_remaining: left }) => {
      count(metrics.code_host_looks_total, { host, outcome });
      if (typeof left === 'number') metrics.code_host_rate_limit_remaining.set(labels({ host }), left);
    },
    slack_called: ({ method, outcome, duration_ms }) => {
      count(metrics.slack_calls_total, { method, outcome });
      time(metrics.slack_call_seconds, { method }, duration_ms);
    },
    posted: post,
    // Includes the slowest posts.
    post_looked_for: post,
    task_done: task,
    task_failed: task,
    task_lease_lost: task,
  };
  return (event, fields, level) => {
    observers[event]?.(fields);
    if (level === 'warn' || level === 'error') metrics.log_events_total.inc({ level, event });
  };
}

function labels(fields: LogFields): Record<string, string> {
  const words: Record<string, string> = {};
  for (const name in fields) words[name] = typeof fields[name] === 'string' ? fields[name] : 'unknown';
  return words;
}

function count(counter: Counter, fields: LogFields) {
  counter.inc(labels(fields));
}

function time(histogram: Histogram, fields: LogFields, ms: unknown) {
  if (typeof ms === 'number') histogram.observe(labels(fields), ms / 1000);
}
