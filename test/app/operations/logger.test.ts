import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/app/operations/logger.ts';

import type { Logger, LogLevel } from '../../../src/runtime/redact.ts';
import { boltLogger } from '../../../src/slack/workspace/caller.ts';

function logged(write: (logger: Logger) => void, level: LogLevel = 'debug'): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLogger({ level, destination: { write: (line) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line));
}

test('an event is one JSON line with its level, time and fields', () => {
  const [line, ...others] = logged((logger) =>
    logger.info('job_created', {
      job_id: 'j1',
      duration_ms: 12,
      outcome: 'done',
      waiting: false,
      project: null,
    }),
  );
  expect(others).toEqual([]);
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    event: 'job_created',
    job_id: 'j1',
    duration_ms: 12,
    outcome: 'done',
    waiting: false,
    project: null,
  });
});

test('an error is reported with its name, code and cause, but not with what else hangs on it', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new TypeError('no answer', { cause }), { request: { text: 'a prompt' } });
  const [line] = logged((logger) => logger.error('agent_call_failed', { error }));
  expect(line?.error).toMatchObject({
    name: 'TypeError',
    message: 'no answer',
    stack: expect.stringContaining('logger.test.ts'),
    cause: { name: 'Error', code: 'ECONNREFUSED' },
  });
  expect(JSON.stringify(line)).not.toContain('a prompt');
});

test('anything can be logged without breaking the program', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`);
  const odd = {
    circle,
    deep,
    big: 12n,
    call: () => 1,
    symbol: Symbol('s'),
    nothing: undefined,
    map: new Map(),
  };
  const [line] = logged((logger) => logger.info('odd', odd));
  expect(line).toMatchObject({
    event: 'odd',
    circle: { self: '[cut]' },
    big: 12,
    map: '[Map]',
  });
});

describe('secrets and words of people', () => {
  const names = `token botToken SLACK_BOT_TOKEN client_secret signingSecret apiKey x-api-key authorization Authorization password cookie
    x-slack-signature databaseUrl response_url responseUrl prompt text follow_up_text blocks body payload`;

  test.each(names.split(/\s+/))('are not logged as %s, at any depth', (name) => {
    const hidden = { [name]: 'hush' };
    const lines = logged((logger) =>
      logger.warn('odd', { ...hidden, request: { headers: hidden, calls: [{ options: { a: hidden } }] } }),
    );
    expect(JSON.stringify(lines)).not.toContain('hush');
    expect(JSON.stringify(lines)).toContain(name);
  });

  test.each([
    ['a bot token', 'bad token xoxb-12-34-Hush1 here'],
    ['a rotated token', 'bad token xoxe.xoxb-1-Hush1'],
    ['a token of GitHub', 'bad token github_pat_11AB_Hush1'],
    ['a token of an installation', 'bad token ghs_Hush1'],
    ['a token of GitLab', 'bad token glpat-Hush1'],
    ['an app token', 'xapp-1-A1-Hush1'],
    ['a token of a workflow', 'bad token xwfp-1-Hush1'],
    ['a header', 'Authorization: Bearer Hush1/+x=='],
    ['a database password', 'postgres://user:Hush1@db.example.com/docs failed'],
    ['a password with a sign in it', 'postgres://user:p@Hush1@db.example.com/docs failed'],
    ['a private answer address', 'https://hooks.slack.com/commands/T1/Hush1'],
    ['a socket address', 'wss://wss.slack.com/link/?ticket=Hush1&app_id=1'],
    [
      'text that is not JSON',
      'Malformed request body: Unexpected token \'H\', "Hush1 is n"... is not valid JSON',
    ],
  ])('%s is taken out of a message', (_name, message) => {
    const lines = logged((logger) => {
      logger.error('odd', { detail: message, error: new Error(message), list: [message] });
      boltLogger(logger).error(message, new Error(message));
    });
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('Hush1');
  });
});

describe("what Slack's libraries say", () => {
  test('is one kind of event, with its level; what nobody can act on is not said at info', () => {
    const lines = logged((logger) => {
      const bolt = boltLogger(logger);
      bolt.info('connected', 1);
      bolt.warn('slow');
      bolt.error(Object.assign(new Error('no answer'), { code: 'slack_webapi_request_error' }));
    });
    expect(lines).toMatchObject([
      { event: 'slack_library', level: 'debug', detail: 'connected 1' },
      { event: 'slack_library', level: 'warn', detail: 'slow' },
      { event: 'slack_library', level: 'error', detail: 'Error: no answer (slack_webapi_request_error)' },
    ]);
  });
});
