import type { Environment } from '../../../src/app/config/values.ts';
import type { StrictControl } from '../../support/strict-slack/control.ts';
import type { ModelWorld } from '../support/model-world.ts';
import type { People } from '../support/people.ts';
import type { Scene } from '../support/scene.ts';
import { HOUR_MS } from '../support/steps.ts';
import type { Chance, SlackFault } from '../support/troubles.ts';
import type { TurnPlan } from '../support/turns.ts';

/** People come and go in it; it may take longer until all is done. */
export const WORKDAY_MS = 10 * HOUR_MS;

/** A working day: who asks for what and when, what goes wrong, and how the agent's turns go. */
export interface Day {
  readonly scene: Scene;
  /** Brings the scene into Slack. */
  readonly populate: (control: StrictControl) => void;
  readonly settings: Environment;
  /** Default: none */
  readonly configFile?: string;
  readonly projects: readonly string[];
  /** Slack enforces its documented limits. */
  readonly hasLimits: boolean;
  /** Time goes in steps of so much at least. */
  readonly stepMs: number;
  readonly turns: readonly TurnPlan[];
  /** What any call may meet. */
  readonly chance: Chance | null;
  readonly troubles: readonly Trouble[];
  readonly moments: readonly Moment[];
  /** How long it is looked at after its end, for each time that something is still to be done. Default: to the last look */
  readonly patienceMs?: number;
}

/** Times are whole milliseconds since the beginning of the day. */
export interface Moment {
  readonly atMs: number;
  readonly happen: (world: ModelWorld, people: People) => unknown;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export type Trouble = Span &
  (
    | /** Its connections are refused. */ { readonly of: 'agent' }
    /** All calls meet the fault, and events arrive only with the second retry, a minute late. */
    | { readonly of: 'slack'; readonly fault: SlackFault }
    /** A new one starts when the old one has stopped. */
    | { readonly of: 'deploy' }
  );

/** The moments at which the trouble begins and ends. */
export function momentsOf(trouble: Trouble): Moment[] {
  const { fromMs, toMs } = trouble;
  const [begin, end] = beginAndEnd(trouble);
  return [
    { atMs: fromMs, happen: begin },
    { atMs: toMs, happen: end },
  ];
}

const LATE_ATTEMPT = 2;

function beginAndEnd(trouble: Trouble): [Moment['happen'], Moment['happen']] {
  switch (trouble.of) {
    case 'agent':
      return [({ agent }) => agent.down(), ({ agent }) => agent.up()];
    case 'deploy':
      return [({ replicas }) => replicas.stop(0), ({ replicas }) => replicas.start()];
    case 'slack':
      return [
        ({ troubles, slack }) => {
          troubles.slackOutage = trouble.fault;
          slack.onDelivery(({ kind, attempt }) => (kind === 'event' && attempt < LATE_ATTEMPT ? 0 : 1));
        },
        ({ troubles, slack }) => {
          troubles.slackOutage = null;
          slack.onDelivery(() => 1);
        },
      ];
  }
}
