import type { SlackMessage } from '../../support/local-slack.ts';
import type { StepEnd } from '../../support/strict-slack/steps.ts';
import type { Manner } from '../plan.ts';
import type { Attempt } from '../world/agent-front.ts';

/** A request, and the answer to its person. `unclear`: none, so that it may or may not have been stored. */
export interface Asked {
  readonly story: number;
  readonly prompt: string;
  /** What must go along with the prompt, or null. */
  readonly context: string | null;
  /** Of the step of a workflow that asks, or null. */
  readonly executionId: string | null;
  /** When somebody began to ask for it. */
  readonly askedAtMs: number;
  readonly answer: 'accepted' | 'refused' | 'unclear';
}

/** A reply that is in a thread. */
export interface Written {
  readonly number: number;
  readonly story: number;
  readonly text: string;
  readonly manner: Manner;
  /** False: it was written in a form, and it is unknown whether that was taken. */
  readonly isSure: boolean;
  /** Of what was written in a form: of the bot's message that shows it; empty if there is none. */
  readonly ts: string;
  /** When the bot acknowledged it first; null: it did not, so that only the thread's history tells of it. */
  readonly acknowledgedAtMs: number | null;
}

/** What is to be seen of one story from outside, when all is over. */
export interface StoryEvidence {
  readonly asked: Asked;
  readonly isPatient: boolean;
  readonly replies: readonly Written[];
  /** Said in the thread, and not for the agent. */
  readonly asides: readonly Written[];
  readonly cards: readonly SlackMessage[];
  /** How the step of a workflow ended that asked; null: it has not, or none asked. */
  readonly stepEnd: StepEnd | null;
  /** The bot's messages in the thread, oldest first. */
  readonly posts: readonly SlackMessage[];
  readonly notices: readonly SlackMessage[];
  /** The calls that arrived at the agent API, in the order of their arrival. */
  readonly creates: readonly Attempt[];
  readonly messages: readonly Attempt[];
  /** The agent jobs as they are in the end, by their ids. */
  readonly agentJobs: ReadonlyMap<string, AgentJobEnd>;
  /** How many turns the agent took up after the program had taken the old end for theirs. */
  readonly lateTurns: number;
  /** How often its agent jobs have said something else than before, and then again what they said. */
  readonly flaps: number;
  /** The messages, by `ts`, whose button was pressed, with the bot's acknowledgement. */
  readonly pressed: ReadonlySet<string>;
  readonly second: SecondProgramDeeds;
  /** What the runner did; null: the agent API is a stand-in. */
  readonly work: readonly RunnerJob[] | null;
  /** The reactions of the bot at each reply, by its `ts`. */
  readonly receipts: ReadonlyMap<string, readonly string[]>;
}

/** What a second program with the same tokens, which knows none of the jobs, did in the thread. */
export interface SecondProgramDeeds {
  /** The replies that it acknowledged, though Slack would have delivered them again. */
  readonly taken: readonly Written[];
  /** How many presses it got. */
  readonly presses: number;
  /** What anybody was told in private, by whichever program. */
  readonly told: readonly string[];
}

/** A job as the runner's store, the repository and the code host have it. */
export interface RunnerJob {
  readonly id: string;
  readonly prompt: string;
  /** `isDone`: it ended by itself, and did not fail. */
  readonly turns: readonly { readonly prompt: string; readonly isOpen: boolean; readonly isDone: boolean }[];
  /** With the lines that their commits add. */
  readonly branches: readonly {
    readonly name: string;
    readonly commits: number;
    readonly lines: readonly string[];
  }[];
  readonly pulls: number;
}

export interface AgentJobEnd {
  readonly status: string;
  readonly prLink: string | null;
}

/**
 * What is not as it must be. `lost`: something was accepted, and had no effect, or was not shown.
 * `doubled`: it had more than one. `reordered`: replies changed places.
 */
export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'reordered' | 'unexpected';
  readonly what: string;
}
