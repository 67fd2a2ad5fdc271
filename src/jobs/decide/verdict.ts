import type { AgentFailure } from '../failure.ts';
import type { Policy } from '../policy.ts';

/**
 * What a failed create or message call means.
 * `retry`: nothing happened (or the operator accepts a possible double), so it goes out again by itself.
 * `refused`: the API will not take it. `unknown`: a person decides.
 */
export type Verdict = 'retry' | 'refused' | 'unknown';

export function verdictOn(
  call: 'create_job' | 'send_message',
  failure: AgentFailure,
  retryUnknown: Policy['retryUnknown'],
): Verdict {
  if (failure.outcome === 'unknown') {
    const mayRepeat = retryUnknown === 'all' || (retryUnknown === 'messages' && call === 'send_message');
    return mayRepeat ? 'retry' : 'unknown';
  }
  switch (failure.reason) {
    case 'rate_limited':
    case 'unreachable':
    case 'unauthorized':
    // A create can only miss the project, which an administrator mends; for a message see `missing.ts`.
    case 'not_found':
    case 'no_such_path':
      return 'retry';
    case 'rejected':
    case 'server_error':
    case 'bad_answer':
      return 'refused';
  }
}
