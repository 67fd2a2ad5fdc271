import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { LogFields } from '../../../engine/runtime/logger.ts';
import {
  inboundRequestKinds,
  inboundRequestOutcomes,
} from '../../../slack/inbound/connection/logged-request.ts';
import type { Observe } from '../logger.ts';

/** Slack gives up on an acknowledgement after 3 seconds. */
const ACKNOWLEDGEMENT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const CALL_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const LAG_S = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

const AGENT_METHODS = ['create_job', 'send_message', 'get_job'];
const UNKNOWN_REASONS = ['unreachable', 'server_error', 'bad_answer'];

/** The API may invent others; labels must stay few. */
const KNOWN_STATUSES = new Set(['active', 'completed', 'failed', 'archived']);

/**
 * Counts and times the operations that log events tell of. Labels come from small sets: never an id of a person, a
 * channel or a job, nor words from outside.
 */
export function countOperations(registry: Registry): Observe {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: `docs_agent_${name}`, help, labelNames, registers: [registry] });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name: `docs_agent_${name}`, help, labelNames, buckets, registers: [registry] });

  const inboundRequests = counter(
    'inbound_requests_total',
    'What people did in Slack, as it was delivered.',
    ['kind', 'outcome'],
  );
  const lastRequest = new Gauge({
    name: 'docs_agent_last_slack_request_timestamp_seconds',
    help: 'When Slack last delivered something that was genuine, since 1970; 0: not since the start.',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'docs_agent_requests_refused_total',
    help: 'Requests to the address for Slack that Slack did not sign, or that could not be read.',
    registers: [registry],
  });
  const acknowledgement = histogram(
    'inbound_request_acknowledgement_seconds',
    'From the arrival of an inbound request to its acknowledgement.',
    ['kind'],
    ACKNOWLEDGEMENT_S,
  );
  const agentCalls = counter('agent_calls_total', 'Calls to the agent API, by what is known of them.', [
    'method',
    'outcome',
    'reason',
  ]);
  const agentSeconds = histogram('agent_call_seconds', 'Calls to the agent API.', ['method'], CALL_S);
  const checks = counter('checks_total', 'Looks at the status of a job.', ['outcome']);
  const statuses = counter('status_changes_total', 'Changes that were seen, by the new status.', ['status']);
  const slackCalls = counter('slack_calls_total', "Calls to Slack's Web API, by what is known of them.", [
    'method',
    'outcome',
  ]);
  const slackSeconds = histogram('slack_call_seconds', "Calls to Slack's Web API.", ['method'], CALL_S);
  const posts = counter('posts_total', 'Tries to tell people something in Slack that is told once.', [
    'post',
    'outcome',
  ]);
  const lag = histogram(
    'post_lag_seconds',
    'From the decision that wanted a post (a change of status was seen, say) until it stands in Slack.',
    ['post'],
    LAG_S,
  );
  const tasks = counter('tasks_total', 'Tasks of the due queue that were taken up.', ['task', 'outcome']);
  const retries = counter(
    'task_retries_total',
    'Tasks that were taken up again after they had been put off: by a failure, a limit, or their pace.',
    ['task'],
  );
  const troubles = counter('log_events_total', 'Log events of the levels warn and error.', [
    'level',
    'event',
  ]);

  // A series that begins with its first count hides that count from `increase` and `rate`.
  for (const kind of inboundRequestKinds)
    for (const outcome of inboundRequestOutcomes) inboundRequests.inc({ kind, outcome }, 0);
  for (const method of AGENT_METHODS) {
    for (const reason of UNKNOWN_REASONS) agentCalls.inc({ method, outcome: 'unknown', reason }, 0);
  }

  const observers: Readonly<Record<string, (fields: LogFields) => void>> = {
    request_refused: () => refused.inc(),
    inbound_request: (fields) => {
      lastRequest.setToCurrentTime();
      inboundRequests.inc({ kind: word(fields.kind), outcome: word(fields.outcome) });
      observeMs(acknowledgement, { kind: word(fields.kind) }, fields.acknowledged_ms);
    },
    agent_called: (fields) => {
      countAgentCall(word(fields.call), fields);
      countStatus(fields);
    },
    agent_job_read: (fields) => {
      countAgentCall('get_job', fields);
      checks.inc({
        outcome: fields.outcome !== 'done' ? 'failed' : fields.is_changed ? 'changed' : 'unchanged',
      });
      countStatus(fields);
    },
    slack_called: (fields) => {
      slackCalls.inc({ method: word(fields.method), outcome: word(fields.outcome) });
      observeMs(slackSeconds, { method: word(fields.method) }, fields.duration_ms);
    },
    posted: (fields) => {
      posts.inc({ post: word(fields.call), outcome: word(fields.outcome) });
      observeMs(lag, { post: word(fields.call) }, fields.lag_ms);
    },
    // Those that took longest are among those that had to be looked for.
    post_looked_for: (fields) => {
      observeMs(lag, { post: word(fields.call) }, fields.lag_ms);
      if (fields.outcome === 'given_up') posts.inc({ post: word(fields.call), outcome: 'given_up' });
    },
    task_done: countTask,
    task_failed: countTask,
    task_lease_lost: countTask,
  };

  function countAgentCall(method: string, { outcome, reason, duration_ms }: LogFields): void {
    const known = { outcome: word(outcome), reason: outcome === 'done' ? 'none' : word(reason) };
    agentCalls.inc({ method, ...known });
    observeMs(agentSeconds, { method }, duration_ms);
  }

  function countStatus({ status, is_changed }: LogFields): void {
    if (!is_changed) return;
    const known = word(status);
    statuses.inc({ status: KNOWN_STATUSES.has(known) ? known : 'other' });
  }

  function countTask({ task, outcome, attempts }: LogFields): void {
    tasks.inc({ task: word(task), outcome: word(outcome) });
    if (typeof attempts === 'number' && attempts > 0) retries.inc({ task: word(task) });
  }

  return (event, fields, level) => {
    observers[event]?.(fields);
    if (level === 'warn' || level === 'error') troubles.inc({ level, event });
  };
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function observeMs(histogram: Histogram, labels: Record<string, string>, ms: unknown): void {
  if (typeof ms === 'number') histogram.observe(labels, ms / 1000);
}
