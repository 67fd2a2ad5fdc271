import type { Script } from '../../../src/demo/agent-api/script.ts';
import type { Random } from '../random.ts';
import { pullRequestUrl, storyOf, wishOf } from '../texts.ts';

const WORK_MIN_MS = 800;
const WORK_MAX_MS = 3_000;
const LAG_MAX_MS = 800;

/** The agent does as the text wishes. What is to fail once works when it is run again. */
export function wishfulScript(random: Random): Script {
  const failed = new Set<number>();
  let links = 0;
  return (prompt) => {
    const workMs = WORK_MIN_MS + random() * (WORK_MAX_MS - WORK_MIN_MS);
    const turn = { workMs, lagMs: random() * LAG_MAX_MS };
    const wish = wishOf(prompt);
    if (wish === 'no_link') return { ...turn, ending: 'no_change' };
    if (wish === 'same_link') return { ...turn, ending: 'pull_request' };
    const story = storyOf(prompt);
    if (wish === 'fail_once' && story !== null && !failed.has(story)) {
      failed.add(story);
      return { ...turn, ending: 'failure' };
    }
    links += 1;
    return { ...turn, ending: 'pull_request', prLink: pullRequestUrl(links) };
  };
}
