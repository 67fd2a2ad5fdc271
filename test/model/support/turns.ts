import type { Script } from '../../support/agent-api/scripted-job.ts';

/** How a turn of the agent goes. */
export interface TurnPlan {
  readonly workMs: number;
  readonly lagMs: number;
  readonly ending: 'pull_request' | 'no_change' | 'failure';
  /** Another pull request than the one before. */
  readonly isNewLink: boolean;
}

/** Turns go as planned, one after the other and then again from the first; while all heals, all goes well. */
export function scriptOf(turns: readonly TurnPlan[], isHealing: () => boolean): Script {
  let turn = 0;
  return () => {
    turn += 1;
    const plan = turns[turn % turns.length];
    if (isHealing() || plan === undefined) return { workMs: 60_000, ending: 'pull_request' };
    const { isNewLink, ...rest } = plan;
    return { ...rest, ...(isNewLink ? { prLink: `https://example.com/pull/${turn}` } : {}) };
  };
}
