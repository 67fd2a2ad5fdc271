import type { Operation } from '../../support/agent-api/fault.ts';
import type { AgentFault } from './agent-front.ts';
import type { SlackFault } from './troubles.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** The channel means nothing for a direct message; without the bot, it does for a command only. */
export type WayToAsk = 'command' | 'mention' | 'direct_message';

/** What a person does. `pick` chooses among what there is then. */
export type PersonAction =
  | { readonly do: 'ask'; readonly by: WayToAsk; readonly channel: string; readonly user: string }
  | { readonly do: 'reply'; readonly pick: number; readonly kind: 'words' | 'blank' }
  | { readonly do: 'edit'; readonly pick: number }
  | { readonly do: 'remove'; readonly pick: number }
  | { readonly do: 'press'; readonly pick: number; readonly times: number };

export type Step =
  /** All at the same time, each delivered so often; an event that is delivered 0 times comes with Slack's retries. */
  | { readonly do: 'together'; readonly actions: readonly PersonAction[]; readonly copies: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'slack_fails'; readonly method: string; readonly faults: readonly SlackFault[] }
  | { readonly do: 'agent_fails'; readonly operation: Operation; readonly faults: readonly AgentFault[] }
  | { readonly do: 'slack_outage'; readonly fault: SlackFault; readonly ms: number }
  | { readonly do: 'agent_outage'; readonly fault: AgentFault | 'refused'; readonly ms: number }
  /** A replica of the program is away for so long, and meanwhile people go on. */
  | {
      readonly do: 'restart';
      readonly pick: number;
      readonly actions: readonly PersonAction[];
      readonly ms: number;
    }
  /** The socket breaks, and people go on until there is another. */
  | { readonly do: 'cut'; readonly actions: readonly PersonAction[] }
  | { readonly do: 'archive' | 'vanish'; readonly pick: number };
