import { isBlank } from '../../jobs/prompt.ts';

/** Those texts that say something, and nothing that was said already: markup and spaces make no difference. */
export function newTexts(said: string, texts: readonly string[]): string[] {
  const before = wordsOf(said);
  return texts
    .map((text) => text.trim())
    .filter(
      (text) =>
        !isBlank(text) && !(wordsOf(text) === '  ' ? said.includes(text) : before.includes(wordsOf(text))),
    );
}

/** Between spaces, so that a word is found only as a whole. */
function wordsOf(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}
