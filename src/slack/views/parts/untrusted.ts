import { isBlank } from '../../../jobs/prompt.ts';
import { readableText } from '../../protocol/readable-text.ts';
import { displayText } from '../../protocol/sanitize.ts';
import { cutEscaped } from './limits.ts';

const TITLE_MAX = 100;

/** Untrusted text, to be shown on lines of its own: never empty, and at most `max` long, escaped or not. */
export function shown(untrusted: string, max: number): string {
  const text = cutEscaped(displayText(untrusted), max);
  return isBlank(text) ? '(empty)' : text;
}

/** As `shown`, but on one line. */
export function oneLine(untrusted: string, max: number): string {
  return shown(displayText(untrusted).replace(/\s+/g, ' '), max);
}

/** The prompt as the person meant it, in quotation marks. */
export function quotedPrompt(prompt: string, names: ReadonlyMap<string, string>, max: number): string {
  return `“${shown(readableText(prompt, names), max)}”`;
}

/** The first line of the prompt, short. */
export function promptTitle(prompt: string, names: ReadonlyMap<string, string>): string {
  const [firstLine = ''] = displayText(readableText(prompt, names)).split('\n', 1);
  return shown(firstLine, TITLE_MAX);
}
