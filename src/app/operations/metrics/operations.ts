import type { Histogram } from 'prom-client';
import type { LogFields } from '../../../engine/runtime/logger.ts';
import {
  inboundRequestKinds,
  inboundRequestOutcomes,
} from '../../../slack/inbound/connection/request-log.ts';
import type { Observe } from '../logger.ts';
import type { MetricTable } from './table.ts';

const AGENT_METHODS = ['create_job', 'send_message', 'get_job'];
const UNKNOWN_REASONS = ['unreachable', 'server_error', 'bad_answer'];

/** The API may invent others; labels must stay few. */
const KNOWN_STATUSES = new Set(['active', 'completed', 'failed', 'archived']);

/** Returns an observer that counts and times operations by their log events. */
export function countOperations(metrics: MetricTable): Observe {
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
    inbound_request: (fields) => {
      metrics.last_slack_request_timestamp_seconds.setToCurrentTime();
      metrics.inbound_requests_total.inc({ kind: word(fields.kind), outcome: word(fields.outcome) });
      observeMs(
        metrics.inbound_request_acknowledgement_seconds,
        { kind: word(fields.kind) },
        fields.acknowledged_ms,
      );
    },
    agent_called: (fields) => {
      countAgentCall(word(fields.call), fields);
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
      metrics.code_host_looks_total.inc({ host: word(host), outcome: word(outcome) });
      if (typeof remaining === 'number')
        metrics.code_host_rate_limit_remaining.set({ host: word(host) }, remaining);
    },
    slack_called: (fields) => {
      metrics.slack_calls_total.inc({ method: word(fields.method), outcome: word(fields.outcome) });
      observeMs(metrics.slack_call_seconds, { method: word(fields.method) }, fields.duration_ms);
    },
    posted: (fields) => {
      metrics.posts_total.inc({ post: word(fields.call), outcome: word(fields.outcome) });
      observeMs(metrics.post_lag_seconds, { post: word(fields.call) }, fields.lag_ms);
    },
    // The slowest are among those that had to be looked for.
    post_looked_for: (fields) => {
      observeMs(metrics.post_lag_seconds, { post: word(fields.call) }, fields.lag_ms);
      if (fields.outcome === 'given_up')
        metrics.posts_total.inc({ post: word(fields.call), outcome: 'given_up' });
    },
    task_done: countTask,
    task_failed: countTask,
    task_lease_lost: countTask,
  };

  function countAgentCall(method: string, { outcome, reason, duration_ms }: LogFields): void {
    const known = { outcome: word(outcome), reason: outcome === 'done' ? 'none' : word(reason) };
    metrics.agent_calls_total.inc({ method, ...known });
    observeMs(metrics.agent_call_seconds, { method }, duration_ms);
  }

  function countStatus({ status, is_changed }: LogFields): void {
    if (!is_changed) return;
    const known = word(status);
    metrics.status_changes_total.inc({ status: KNOWN_STATUSES.has(known) ? known : 'other' });
  }

  function countTask({ task, outcome, attempts }: LogFields): void {
    metrics.tasks_total.inc({ task: word(task), outcome: word(outcome) });
    if (typeof attempts === 'number' && attempts > 0) metrics.task_retries_total.inc({ task: word(task) });
  }

  return (event, fields, level) => {
    observers[event]?.(fields);
    if (level === 'warn' || level === 'error') metrics.log_events_total.inc({ level, event });
  };
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function observeMs(histogram: Histogram, labels: Record<string, string>, ms: unknown): void {
  if (typeof ms === 'number') histogram.observe(labels, ms / 1000);
}
