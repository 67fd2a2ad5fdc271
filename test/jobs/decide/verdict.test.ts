import { expect, test } from 'vitest';
import type { AgentFailureReason } from '../../../src/jobs/agent-job.ts';
import { verdictOn } from '../../../src/jobs/decide/failures.ts';
import { aFailure } from '../support/builders.ts';

test.each<[AgentFailureReason, 'retry' | 'failed']>([
  ['rate_limited', 'retry'],
  ['unreachable', 'retry'],
  ['unauthorized', 'retry'],
  ['not_found', 'retry'],
  ['no_such_path', 'retry'],
  ['rejected', 'failed'],
  ['server_error', 'failed'],
  ['bad_answer', 'failed'],
])(
  '%s: the call is “%s” when nothing happened, and a person decides when nobody knows',
  (reason, verdict) => {
    expect(verdictOn(aFailure({ reason }))).toBe(verdict);
    expect(verdictOn(aFailure({ outcome: 'unknown', reason }))).toBe('unknown');
  },
);
