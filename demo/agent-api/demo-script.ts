import type { TurnScript } from './scripted-job.ts';

const WORK_MS = 6_000;
const SLOW_WORK_MS = 60_000;
const LAG_MS = 2_000;
const OUTAGE_MS = 20_000;
const REFUSAL = 'This is too vague to work on. Name the page that should change.';

/** The words in a prompt or reply that change what the demo's agent does. */
export const demoWords = [
  { word: 'nothing', effect: 'the agent finishes without changing a file' },
  { word: 'fail', effect: 'the agent fails' },
  { word: 'vague', effect: 'the agent does not accept the request' },
  { word: 'slow', effect: 'the agent works for a minute instead of six seconds' },
  {
    word: 'unclear',
    effect: 'the agent takes it, but the connection breaks off; this terminal says as which job',
  },
  { word: 'outage', effect: 'the agent takes it, and cannot be reached for the next 20 seconds' },
] as const;

type DemoWord = (typeof demoWords)[number]['word'];

/** Whole words, in lower case. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** A pull request after six seconds, unless one of the `demoWords` is among the words of the text. */
export function demoScript(text: string): TurnScript {
  const words = wordsOf(text);
  const has = (word: DemoWord) => words.has(word);
  return {
    workMs: has('slow') ? SLOW_WORK_MS : WORK_MS,
    lagMs: LAG_MS,
    ending: endingOf(has),
    ...(has('vague') ? { refusal: REFUSAL } : {}),
    ...(has('unclear') ? { isCutOff: true } : {}),
    ...(has('outage') ? { outageMs: OUTAGE_MS } : {}),
  };
}

function endingOf(has: (word: DemoWord) => boolean): TurnScript['ending'] {
  if (has('fail')) return 'failure';
  if (has('nothing')) return 'no_change';
  return 'pull_request';
}
