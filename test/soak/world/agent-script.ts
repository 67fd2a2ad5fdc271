import type { Script } from '../../support/agent-api/scripted-job.ts';
import type { Random } from '../random.ts';
import { instructionIn, pullRequestUrl, storyOf } from '../texts.ts';

const WORK_MIN_MS = 800;
const WORK_MAX_MS = 3_000;
const LAG_MAX_MS = 800;
/** So many turns are taken up only after the program has taken the old end for theirs. */
const LATE_SHARE = 0.03;
const LATE_LAG_MIN_MS = 26_000;
const LATE_LAG_MAX_MS = 36_000;

export interface ScriptedAgent {
  readonly script: Script;
  /** How many turns were taken up late. */
  lateTurns(): number;
}

/** The agent does as the text instructs. What is to fail once works when it is run again. */
export function scriptedAgent(random: Random): ScriptedAgent {
  const failed = new Set<number>();
  let lateTurns = 0;
  let links = 0;
  const lagMs = (story: number | null, turn: number) => {
    if (turn === 1 || story === null || random() >= LATE_SHARE) return random() * LAG_MAX_MS;
    lateTurns += 1;
    return LATE_LAG_MIN_MS + random() * (LATE_LAG_MAX_MS - LATE_LAG_MIN_MS);
  };
  const script: Script = (prompt, number) => {
    const story = storyOf(prompt);
    const workMs = WORK_MIN_MS + random() * (WORK_MAX_MS - WORK_MIN_MS);
    const turn = { workMs, lagMs: lagMs(story, number) };
    const instruction = instructionIn(prompt);
    if (instruction === 'no_link') return { ...turn, ending: 'no_change' };
    if (instruction === 'same_link') return { ...turn, ending: 'pull_request' };
    if (instruction === 'fail_once' && story !== null && !failed.has(story)) {
      failed.add(story);
      return { ...turn, ending: 'failure' };
    }
    links += 1;
    return { ...turn, ending: 'pull_request', prLink: pullRequestUrl(links) };
  };
  return { script, lateTurns: () => lateTurns };
}
