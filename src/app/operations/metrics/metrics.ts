import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Histogram, Registry } from 'prom-client';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Route } from '../../../engine/runtime/http-server.ts';
import type { LogFields } from '../../../engine/runtime/redact.ts';
import {
  inboundRequestKinds,
  inboundRequestOutcomes,
} from '../../../slack/inbound/connection/request-log.ts';
import { type EndedTransaction, transactionOutcomes } from '../../../store/store.ts';
import type { Observe } from '../logger.ts';
import type { ProgramState } from '../program-state.ts';
import { type MetricTable, registerMetrics } from './table.ts';

/** Each has its own registry, so that several services can live in one process. */
export function createMetrics(logLinesDropped = () => 0) {
  const registry = new Registry();
  const metrics = registerMetrics(registry);
  const process = measureProcess(registry);
  // A series that begins with its first count hides that count from `increase` and `rate`.
  for (const outcome of transactionOutcomes) metrics.store_transactions_total.inc({ outcome }, 0);
  const text = (state: ProgramState): Promise<string> => {
    showState(metrics, state);
    metrics.log_lines_dropped_total.reset();
    metrics.log_lines_dropped_total.inc(logLinesDropped());
    return registry.metrics();
  };
  return {
    observe: countOperations(metrics),
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
    close: () => process.close(),
  };
}

const NONE_DUE = { count: 0, oldestMs: 0 };

function showState(
  metrics: MetricTable,
  { loops, isSlackConnected, hourlyBudget, store, dataDir }: ProgramState,
): void {
  const { open_jobs, due_tasks, oldest_due_task_seconds, failing_tasks, hourly_budget_left } = metrics;
  for (const { name, problem, tasksInFlight } of loops) {
    metrics.loop_up.set({ loop: name }, Number(problem === null));
    metrics.loop_tasks_in_flight.set({ loop: name }, tasksInFlight);
  }
  metrics.slack_connection_up.set(Number(isSlackConnected));
  metrics.store_up.set(Number(store !== null));
  metrics.hourly_budget.set(hourlyBudget);
  showDataDir(metrics, dataDir);
  // Unknown values are absent rather than stale.
  for (const known of [open_jobs, due_tasks, oldest_due_task_seconds, failing_tasks, hourly_budget_left])
    known.reset();
  if (store === null) return;
  for (const [stage, count] of store.openJobs) open_jobs.set({ stage }, count);
  for (const { name: loop, tasks } of loops) {
    for (const task of tasks) {
      const { count, oldestMs } = store.dueTasks.find(({ kind }) => kind === task) ?? NONE_DUE;
      due_tasks.set({ loop, task }, count);
      oldest_due_task_seconds.set({ loop, task }, oldestMs / 1000);
      failing_tasks.set({ loop, task }, store.failingTasks.get(task) ?? 0);
    }
  }
  for (const [project, calls] of store.budgetLeft) hourly_budget_left.set({ project }, calls);
}

/** Unknown values are absent: 0 would mean a full disk, and no backup. */
function showDataDir(metrics: MetricTable, dataDir: ProgramState['dataDir']): void {
  const { data_dir_free_bytes: free, last_backup_timestamp_seconds: last, backup_failed: failed } = metrics;
  for (const gauge of [free, last, failed]) gauge.remove();
  if (dataDir === null) return;
  free.set(dataDir.freeBytes);
  last.set(dataDir.lastBackupAtMs / 1000);
  failed.set(Number(dataDir.hasBackupFailed));
}

const RESOLUTION_MS = 20;

/**
 * The usual metrics of a process, by their usual names. The package's own collection cannot be stopped: every
 * service that a test starts would leave its observers behind.
 */
function measureProcess(registry: Registry): { close(): void } {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  const registers = [registry];
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, of the program and of the system for it.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  new Gauge({
    name: 'docs_agent_build_info',
    help: 'Always 1; the labels say which version runs, and on which Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  gauge('process_resident_memory_bytes', 'Memory.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', () => process.memoryUsage().heapUsed);
  gauge('process_start_time_seconds', 'When the process started, since 1970.', () =>
    Math.round(Date.now() / 1000 - process.uptime()),
  );
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'How late timers were since the last scrape, 99th percentile.',
    () => {
      const { count } = lag;
      const lateNs = count === 0 ? 0 : lag.percentile(99) - RESOLUTION_MS * 1e6;
      lag.reset();
      return Math.max(0, lateNs / 1e9);
    },
  );
  return { close: () => lag.disable() };
}

export const { version } = packageJson;

const AGENT_METHODS = ['create_job', 'send_message', 'get_job'];
const UNKNOWN_REASONS = ['unreachable', 'server_error', 'bad_answer'];

/** The API may invent others; labels must stay few. */
const KNOWN_STATUSES: ReadonlySet<unknown> = new Set(['active', 'completed', 'failed', 'archived']);

function countOperations(metrics: MetricTable): Observe {
  // A series that begins with its first count hides that count from `increase` and `rate`.
  for (const kind of inboundRequestKinds)
    for (const outcome of inboundRequestOutcomes) metrics.inbound_requests_total.inc({ kind, outcome }, 0);
  for (const method of AGENT_METHODS) {
    for (const reason of UNKNOWN_REASONS)
      metrics.agent_calls_total.inc({ method, outcome: 'unknown', reason }, 0);
  }

  const observers: Readonly<Record<string, (fields: LogFields) => void>> = {
    other_program: ({ connections }) => metrics.slack_other_connections.set(Number(connections)),
    request_refused: () => metrics.requests_refused_total.inc(),
    inbound_request: ({ kind, outcome, acknowledged_ms }) => {
      metrics.last_slack_request_timestamp_seconds.setToCurrentTime();
      metrics.inbound_requests_total.inc(words({ kind, outcome }));
      observeMs(metrics.inbound_request_acknowledgement_seconds, { kind }, acknowledged_ms);
    },
    agent_called: (fields) => {
      countAgentCall(fields.call, fields);
      countStatus(fields);
    },
    agent_job_read: (fields) => {
      countAgentCall('get_job', fields);
      metrics.checks_total.inc({
        outcome: fields.outcome !== 'done' ? 'failed' : fields.is_changed ? 'changed' : 'unchanged',
      });
      countStatus(fields);
    },
    code_host_looked: ({ host, outcome, rate_limit_remaining: remaining }) => {
      metrics.code_host_looks_total.inc(words({ host, outcome }));
      if (typeof remaining === 'number')
        metrics.code_host_rate_limit_remaining.set(words({ host }), remaining);
    },
    slack_called: ({ method, outcome, duration_ms }) => {
      metrics.slack_calls_total.inc(words({ method, outcome }));
      observeMs(metrics.slack_call_seconds, { method }, duration_ms);
    },
    posted: ({ call: post, outcome, lag_ms }) => {
      metrics.posts_total.inc(words({ post, outcome }));
      observeMs(metrics.post_lag_seconds, { post }, lag_ms);
    },
    // The slowest are among those that had to be looked for.
    post_looked_for: ({ call: post, outcome, lag_ms }) => {
      observeMs(metrics.post_lag_seconds, { post }, lag_ms);
      if (outcome === 'given_up') metrics.posts_total.inc(words({ post, outcome }));
    },
    task_done: countTask,
    task_failed: countTask,
    task_lease_lost: countTask,
  };

  function countAgentCall(method: unknown, { outcome, reason, duration_ms }: LogFields): void {
    const known = outcome === 'done' ? 'none' : reason;
    metrics.agent_calls_total.inc(words({ method, outcome, reason: known }));
    observeMs(metrics.agent_call_seconds, { method }, duration_ms);
  }

  function countStatus({ status, is_changed }: LogFields): void {
    if (!is_changed) return;
    metrics.status_changes_total.inc(words({ status: KNOWN_STATUSES.has(status) ? status : 'other' }));
  }

  function countTask({ task, outcome, attempts }: LogFields): void {
    metrics.tasks_total.inc(words({ task, outcome }));
    if (typeof attempts === 'number' && attempts > 0) metrics.task_retries_total.inc(words({ task }));
  }

  return (event, fields, level) => {
    observers[event]?.(fields);
    if (level === 'warn' || level === 'error') metrics.log_events_total.inc({ level, event });
  };
}

/** As labels. */
function words(values: LogFields): Record<string, string> {
  const known = (value: unknown) => (typeof value === 'string' ? value : 'unknown');
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, known(value)]));
}

function observeMs(histogram: Histogram, labels: LogFields, ms: unknown): void {
  if (typeof ms === 'number') histogram.observe(words(labels), ms / 1000);
}
