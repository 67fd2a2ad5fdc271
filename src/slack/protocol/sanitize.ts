import { isBlank } from '../../jobs/prompt.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that every store and API takes: line ends are `\n`, and there are no control characters (but `\n` and
 * `\t`; Postgres refuses NUL) and no lone surrogates.
 */
export function sanitize(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/**
 * Untrusted text, to be shown: sanitized, without the controls that make text run the other way (a line of
 * it could pass for ours), without blank lines around it, and with at most one blank line in a row.
 */
export function displayText(untrusted: string): string {
  const lines = sanitize(untrusted)
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(BIDI_CONTROLS, '')
    .split('\n')
    .map((line) => (isBlank(line) ? '' : line));
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
