import { describe, expect, test } from 'vitest';
import type { AgentFailureReason } from '../../../src/jobs/agent-job.ts';
import { verdictOn } from '../../../src/jobs/decide/watch/verdict.ts';
import { aFailure } from '../support/builders.ts';

const reasons: AgentFailureReason[] = [
  'rate_limited',
  'unreachable',
  'unauthorized',
  'not_found',
  'no_such_path',
  'rejected',
  'server_error',
  'bad_answer',
];
const calls = ['create_job', 'send_message'] as const;

describe('when nothing happened', () => {
  test.each(['rate_limited', 'unreachable', 'unauthorized', 'not_found', 'no_such_path'] as const)(
    '%s: both calls go again',
    (reason) => {
      for (const call of calls) expect(verdictOn(call, aFailure({ reason }), 'never')).toBe('retry');
    },
  );

  test.each(['rejected', 'server_error', 'bad_answer'] as const)('%s: both are refused', (reason) => {
    for (const call of calls) expect(verdictOn(call, aFailure({ reason }), 'all')).toBe('refused');
  });
});

describe('when nobody knows', () => {
  test.each(reasons)('%s: a person decides, unless the operator did', (reason) => {
    const failure = aFailure({ outcome: 'unknown', reason });
    expect(verdictOn('create_job', failure, 'never')).toBe('unknown');
    expect(verdictOn('send_message', failure, 'never')).toBe('unknown');
    expect(verdictOn('create_job', failure, 'messages')).toBe('unknown');
    expect(verdictOn('send_message', failure, 'messages')).toBe('retry');
    expect(verdictOn('create_job', failure, 'all')).toBe('retry');
    expect(verdictOn('send_message', failure, 'all')).toBe('retry');
  });
});
