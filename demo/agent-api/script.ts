/** Decides how a turn goes. `turn` is 1 for the prompt. */
export type Script = (prompt: string, turn: number) => TurnScript;

export interface TurnScript {
  /** How long the agent works, from when it starts on the turn. Means nothing for `manual`. */
  readonly workMs: number;
  readonly ending: Ending;
  /** How long the old status lingers after a follow-up. */
  readonly lagMs?: number;
  /** Another pull request than the one the job has or would get. */
  readonly prLink?: string;
  /** The connection breaks off before the API says that it took the turn. */
  readonly isCutOff?: boolean;
  /** Once it said so, no connection can be made for this long. */
  readonly outageMs?: number;
}

/** `manual`: the turn lasts until `finish` is called. */
export type Ending = 'pull_request' | 'no_change' | 'failure' | 'manual';
