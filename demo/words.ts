/** The words in a request or reply that change what happens in the demo. */
export const demoWords = [
  { word: 'nothing', effect: 'the agent finishes without changing a file' },
  { word: 'fail', effect: 'the agent fails' },
  { word: 'vague', effect: 'the agent does not accept the request' },
  { word: 'slow', effect: 'the agent works for a minute instead of six seconds: time to press Stop' },
  {
    word: 'unclear',
    effect:
      'the agent takes it, but the connection breaks off; docs-agent asks again, and nothing is done twice',
  },
  { word: 'outage', effect: 'the agent takes it, and cannot be reached for the next 20 seconds' },
  { word: 'red', effect: 'the checks of the pull request fail, until Ask for a fix gives them to the agent' },
  { word: 'picky', effect: 'the reviewer requests changes, until Send the review gives them to the agent' },
  { word: 'close', effect: 'the pull request is closed without merging' },
] as const;

/** Whole words, in lower case. */
export function wordsOf(text: string): { has(word: (typeof demoWords)[number]['word']): boolean } {
  return new Set<string>(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
