import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Slack gives up on an acknowledgement after 3 seconds. */
const ACKNOWLEDGEMENT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const CALL_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const LAG_S = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const TRANSACTION_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15];

/**
 * Metrics of the program's work and state, with the prefix `docs_agent_`. Labels come from small sets: never
 * an id of a person, channel or job, nor outside words.
 */
const table = {
  inbound_requests_total: counter('What people did in Slack, as it was delivered.', ['kind', 'outcome']),
  inbound_request_acknowledgement_seconds: histogram(
    'From the arrival of an inbound request to its acknowledgement.',
    ['kind'],
    ACKNOWLEDGEMENT_S,
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
  status_changes_total: counter('Changes of status that were seen, by the new status.', ['status']),
  code_host_looks_total: counter('Looks at a pull request at its code host.', ['host', 'outcome']),
  code_host_rate_limit_remaining: gauge('Requests that a code host allows until its limit starts again.', [
    'host',
  ]),
  slack_calls_total: counter("Calls to Slack's Web API, by outcome.", ['method', 'outcome']),
  slack_call_seconds: histogram("Calls to Slack's Web API.", ['method'], CALL_S),
  posts_total: counter('Attempts at posts that are made once.', ['post', 'outcome']),
  post_lag_seconds: histogram(
    'From the decision to post (a change of status was seen, say) until it is in Slack.',
    ['post'],
    LAG_S,
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
    TRANSACTION_S,
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
};

export type MetricTable = { readonly [Name in keyof typeof table]: ReturnType<(typeof table)[Name]> };

export function registerMetrics(registry: Registry): MetricTable {
  const made = Object.entries(table).map(([name, make]) => [name, make(`docs_agent_${name}`, registry)]);
  return Object.fromEntries(made) as MetricTable;
}

function counter(help: string, labelNames: string[] = []) {
  return (name: string, registry: Registry) => new Counter({ name, help, labelNames, registers: [registry] });
}

function gauge(help: string, labelNames: string[] = []) {
  return (name: string, registry: Registry) => new Gauge({ name, help, labelNames, registers: [registry] });
}

function histogram(help: string, labelNames: string[], buckets: number[]) {
  return (name: string, registry: Registry) =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });
}
