import type { AgentFailure } from '../../jobs/failure.ts';

const MAX = 200;

/**
 * For the log: what the API says when an administrator must act, on one line. Not what it says of a request that it
 * does not take, which may quote the request.
 */
export function agentSays({ reason, words }: AgentFailure): { readonly agent_says?: string } {
  const isForOperator = reason === 'unauthorized' || reason === 'not_found';
  if (!isForOperator || words === undefined) return {};
  return {
    agent_says: words
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .slice(0, MAX)
      .toWellFormed(),
  };
}
