import { expect, onTestFinished, test, vi } from 'vitest';
import { settingsInDisorder } from '../../src/cli/commands/doctor.ts';
import { type Finding, findingsOf, shown, textReport } from '../../src/doctor/finding.ts';
import { errorOf } from '../support/settings.ts';

test('words of servers keep to their line, and show no secret', () => {
  const echo = 'bad\nkey\u2028"sk-12345678"\u001b[31m\u202e of p and k, xoxb-12-hunter2';
  const [finding] = shown(
    [findingsOf('agent_api', 'docs').error(echo, 'sk-12345678?')],
    ['sk-12345678', 'p'],
  );
  expect(finding).toMatchObject({
    found: 'bad key "…"[31m of p and k, xoxb-[redacted]',
    next: '…?',
  });
  expect(textReport(finding === undefined ? [] : [finding])).toBe(
    '✗ Agent API docs: bad key "…"[31m of p and k, xoxb-[redacted] → …?\n\n1 problem',
  );
});

test('no sentence is said twice', () => {
  const text = textReport(shown(settingsInDisorder(errorOf({})), []));
  expect(text.match(/the other checks need valid settings/g)).toHaveLength(1);
  expect(text).not.toContain('not checked before');
});

test('what two checks find for the same reason is one problem, on one line', () => {
  const [slack, connection, store] = [
    findingsOf('slack_token'),
    findingsOf('slack_connection'),
    findingsOf('store'),
  ];
  const text = textReport([
    slack.error('no answer', 'Check the network.'),
    store.ok('fine'),
    connection.error('no answer', 'Check the network.'),
  ]);
  expect(text).toBe('✗ Slack, Connection: no answer → Check the network.\n✓ Store: fine\n\n1 problem');
});

test('problems and warnings are counted', () => {
  const { ok, warning, error } = findingsOf('store');
  const last = (...findings: Finding[]) => textReport(findings).split('\n').at(-1);
  expect(last(ok('fine'))).toBe('All is well.');
  expect(last(error('a', 'b'), error('c', 'b'), warning('a', 'b'), warning('c', 'b'))).toBe(
    '2 problems, 2 warnings',
  );
  expect(last(error('a', 'b'), warning('a', 'b'))).toBe('1 problem, 1 warning');
  expect(last(warning('a', 'b'))).toBe('1 warning');
});

test('colours are on a terminal only', () => {
  const findings = [findingsOf('store').error('a', 'b')];
  expect(textReport(findings)).not.toContain('\u001b');
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('FORCE_COLOR', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(textReport(findings)).toContain('\u001b[31m✗\u001b[39m Store: a');
});
