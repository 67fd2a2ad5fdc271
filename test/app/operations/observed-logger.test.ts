import { expect, test } from 'vitest';
import { createLogger, observedLogger } from '../../../src/app/operations/logger.ts';
import { createMetrics } from '../../../src/app/operations/metrics.ts';

test('what is below the log level is counted all the same', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const metrics = createMetrics();
  const log = observedLogger(createLogger({ level: 'error', destination }), metrics.observe);
  log.debug('slack_called', { method: 'chat.update', outcome: 'done', duration_ms: 40 });
  log.warn('socket_not_reopened', { reason: 'invalid_auth' });
  log.debug('code_host_looked', { host: 'github', outcome: 'seen', rate_limit_remaining: 4_990 });
  log.debug('code_host_looked', { host: 'github', outcome: 'later' });
  const state = { loops: [], isSlackConnected: true, hourlyBudget: 100, store: null, dataDir: null };
  const text = await metrics.text(state);
  expect(text).toContain('docs_agent_slack_calls_total{method="chat.update",outcome="done"} 1\n');
  expect(text).toContain('docs_agent_slack_call_seconds_sum{method="chat.update"} 0.04\n');
  expect(text).toContain('docs_agent_log_events_total{level="warn",event="socket_not_reopened"} 1\n');
  expect(text).toContain('docs_agent_code_host_looks_total{host="github",outcome="seen"} 1\n');
  expect(text).toContain('docs_agent_code_host_looks_total{host="github",outcome="later"} 1\n');
  expect(text).toContain('docs_agent_code_host_rate_limit_remaining{host="github"} 4990\n');
  expect(lines).toEqual([]);
});
