import { expect, test } from 'vitest';
import { findingsOf, worstOf } from '../../src/doctor/finding.ts';
import { shown, textReport } from '../../src/doctor/report.ts';

test('words of servers keep to their line, and show no secret', () => {
  const echo = 'bad\nkey\u2028"sk-12345678"\u001b[31m\u202e of p and k';
  const [finding] = shown(
    [findingsOf('agent_api', 'docs').error(echo, 'sk-12345678?')],
    ['sk-12345678', 'p'],
  );
  expect(finding).toMatchObject({ found: 'bad key "…" [31m of p and k', next: '…?' });
  expect(textReport(finding === undefined ? [] : [finding])).toBe(
    '✗ Agent API docs: bad key "…" [31m of p and k → …?\n\n1 to mend, 0 to look at.',
  );
});

test('a token of any workspace is known by its look', () => {
  const [finding] = shown([findingsOf('slack_token').error('bad_xoxb-12-hunter2', 'xapp-1-hunter2')], []);
  expect(finding).toMatchObject({ found: 'bad_xoxb-[redacted]', next: 'xapp-[redacted]' });
});

test('the worst finding counts', () => {
  const { ok, warning, error } = findingsOf('store');
  expect(worstOf([])).toBe('ok');
  expect(worstOf([ok('fine'), warning('old', 'renew')])).toBe('warning');
  expect(worstOf([error('gone', 'restore'), ok('fine')])).toBe('error');
});
