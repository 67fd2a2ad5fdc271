import { describe, expect, test } from 'vitest';
import type { AgentFailureReason } from '../../../src/jobs/agent-job.ts';
import { verdictOn } from '../../../src/jobs/decide/failures.ts';
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

describe('when nothing happened', () => {
  test.each(['rate_limited', 'unreachable', 'unauthorized', 'not_found', 'no_such_path'] as const)(
    '%s: the call goes again',
    (reason) => {
      expect(verdictOn(aFailure({ reason }))).toBe('retry');
    },
  );

  test.each(['rejected', 'server_error', 'bad_answer'] as const)('%s: it is refused', (reason) => {
    expect(verdictOn(aFailure({ reason }))).toBe('failed');
  });
});

test.each(reasons)('when nobody knows (%s), a person decides', (reason) => {
  expect(verdictOn(aFailure({ outcome: 'unknown', reason }))).toBe('unknown');
});
