import type { AgentFailure } from '../../agent-job.ts';
import type { CallOutcome } from '../../call.ts';
import type { DecisionBuilder } from '../decision-builder.ts';

type AgentCallKind = 'create_job' | 'send_message';

/**
 * What a failed create or message call means.
 * `retry`: nothing happened, so it goes out again by itself.
 * `refused`: the API will not take it. `unknown`: a person decides.
 */
export type Verdict = 'retry' | 'refused' | 'unknown';

export function verdictOn(failure: AgentFailure): Verdict {
  if (failure.outcome === 'unknown') return 'unknown';
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

/** Settles a failed create or message call as its verdict says, and returns the verdict. */
export function settleFailed(
  builder: DecisionBuilder,
  call: AgentCallKind,
  callId: string,
  failure: AgentFailure,
): Verdict {
  const verdict = verdictOn(failure);
  const detail = `${failure.reason}: ${failure.message}`;
  builder.settle({ callId, state: stateOf(call, verdict), detail });
  return verdict;
}

function stateOf(call: AgentCallKind, verdict: Verdict): CallOutcome['state'] {
  if (verdict === 'unknown') return 'unknown';
  if (verdict === 'refused') return 'failed';
  // The replies of a message that goes out again are put into a new call, together with later ones.
  return call === 'create_job' ? 'retry' : 'not_made';
}
