import type { Fault } from '../support/agent-api/fault.ts';

/**
 * What a create or message call that meets a fault of the agent API is taken for:
 * - `waits`: nothing happened; it goes out again by itself
 * - `unknown`: it may have been taken; the thread says so, and a person decides
 * - `refused`: the API will not take it; its words are shown, and a person may try again
 * - `administrator`: nothing happened; it is kept until the key or the project is mended
 */
export type AgentOutcome = 'waits' | 'unknown' | 'refused' | 'administrator';

/** What a fault of the agent API is taken for. */
export interface AgentFault {
  readonly name: string;
  readonly fault: Fault;
  readonly create: AgentOutcome;
  readonly message: AgentOutcome;
}

const both = (name: string, fault: Fault, outcome: AgentOutcome): AgentFault => ({
  name,
  fault,
  create: outcome,
  message: outcome,
});

export const agentFaults: readonly AgentFault[] = [
  both('429 with `Retry-After`', { status: 429, headers: { 'retry-after': '30' } }, 'waits'),
  both('429 without `Retry-After`', { status: 429 }, 'waits'),
  both('500', { status: 500 }, 'unknown'),
  both('503 with `Retry-After`', { status: 503, headers: { 'retry-after': '30' } }, 'unknown'),
  both('a reset, before the request was processed', 'reset_before', 'unknown'),
  both('a reset, after the request was processed', 'reset_after', 'unknown'),
  both('no answer within `AGENT_TIMEOUT`', 'hang', 'unknown'),
  both('an answer cut in the middle', 'half_body', 'unknown'),
  both('a web page', 'html', 'unknown'),
  both('a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'refused'),
  both('400', { status: 400 }, 'refused'),
  both('401', { status: 401 }, 'administrator'),
  both('403', { status: 403 }, 'administrator'),
  {
    name: '404 in the API’s words: for a create call the project is unknown, for a message the job',
    fault: { status: 404 },
    create: 'administrator',
    message: 'waits',
  },
  both('404 without them: a gateway', { status: 404, body: '<html>' }, 'waits'),
];
