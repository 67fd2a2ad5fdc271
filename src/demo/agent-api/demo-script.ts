import type { TurnScript } from './script.ts';

const WORK_MS = 6_000;
const SLOW_WORK_MS = 60_000;
const LAG_MS = 2_000;

/** The words in a prompt or reply that change what the demo's agent does. */
export const demoWords: readonly { readonly word: string; readonly effect: string }[] = [
  { word: 'nothing', effect: 'the agent finishes without changing a file' },
  { word: 'fail', effect: 'the agent fails' },
  { word: 'slow', effect: 'the agent works for a minute instead of six seconds' },
];

/** A pull request after six seconds, unless the text holds one of the `demoWords`. */
export function demoScript(text: string): TurnScript {
  const has = (word: string) => text.toLowerCase().includes(word);
  return { workMs: has('slow') ? SLOW_WORK_MS : WORK_MS, lagMs: LAG_MS, ending: endingOf(has) };
}

function endingOf(has: (word: string) => boolean): TurnScript['ending'] {
  if (has('fail')) return 'failure';
  if (has('nothing')) return 'no_change';
  return 'pull_request';
}
