import type { Clock } from '../../../src/runtime/clock.ts';
import type { Operation } from '../../support/agent-api/fault.ts';
import type { SlackCall } from '../../support/fault-proxy/call.ts';
import type { StrictFault } from '../../support/strict-slack/web-api.ts';
import type { AgentFault } from './agent-front.ts';

/** `slowMs`: the answer comes so much later; `isLate`: and the call is carried out only then. */
export type SlackFault =
  | Exclude<StrictFault, 'hang' | { readonly forwardAfter: unknown } | { readonly answerAfter: unknown }>
  | { readonly slowMs: number; readonly isLate: boolean };

/** What goes wrong with the next calls of the program. */
export class Troubles {
  /** Instead of all faults that are planned: what every call meets. */
  slackOutage: SlackFault | null = null;
  agentOutage: AgentFault | null = null;
  /** Agent jobs that the API does not know any more. */
  readonly vanished = new Set<string>();
  readonly #slack = new Map<string, SlackFault[]>();
  readonly #agent = new Map<Operation, AgentFault[]>();
  readonly #clock: Clock;
  #held = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  planSlack(method: string, faults: readonly SlackFault[]): void {
    this.#slack.set(method, [...(this.#slack.get(method) ?? []), ...faults]);
  }

  planAgent(operation: Operation, faults: readonly AgentFault[]): void {
    this.#agent.set(operation, [...(this.#agent.get(operation) ?? []), ...faults]);
  }

  /** Nothing goes wrong any more, but what has vanished stays so. */
  end(): void {
    this.slackOutage = null;
    this.agentOutage = null;
    this.#slack.clear();
    this.#agent.clear();
  }

  /** Calls to Slack that were made slow, and wait for their time. */
  get held(): number {
    return this.#held;
  }

  nextOfSlack({ method }: SlackCall): StrictFault | null {
    const fault = this.#outageFor(method) ?? this.#slack.get(method)?.shift() ?? null;
    if (typeof fault !== 'object' || fault === null || !('slowMs' in fault)) return fault;
    this.#held += 1;
    const later = new Promise<void>((resolve) => {
      this.#clock.at(this.#clock.now() + fault.slowMs, () => {
        this.#held -= 1;
        resolve();
      });
    });
    return fault.isLate ? { forwardAfter: later } : { answerAfter: later };
  }

  /** An answer to a command needs no token, and has no error codes. */
  #outageFor(method: string): SlackFault | null {
    const outage = this.slackOutage;
    const isAboutToken = typeof outage === 'object' && outage !== null && 'error' in outage;
    return isAboutToken && method === 'response_url' ? null : outage;
  }

  nextOfAgent(operation: Operation, jobId: string): AgentFault | null {
    if (this.vanished.has(jobId)) return { status: 404, body: { error: 'Job not found' } };
    return this.agentOutage ?? this.#agent.get(operation)?.shift() ?? null;
  }
}
