/** The first bytes of binary files that no NUL gives away, as Latin-1. */
const NO_TEXT = [
  '%PDF-',
  'PK\u0003\u0004',
  '\u0089PNG',
  'GIF8',
  '\u00ff\u00d8\u00ff',
  '\u001f\u008b',
  '{\\rtf',
];
const DECLARED =
  /^(?:\s{0,10}<\?xml[^>]{0,200}encoding=|\s{0,10}<(?:!doctype )?html[\s\S]{0,800}?<meta[^>]{0,200}charset=|@charset |(?:[^\n]{0,200}\n)?#[^\n]{0,40}coding[:=])\s{0,3}["']?([\w.:-]{2,40})/i;
const FALLBACK = 'windows-1252';
/** One byte of ten. */
const MIN_ZEROS = 5;
const DECLARED_WITHIN = 1_024;
/** Of a hundred characters; more than a log with colours has. */
const MAX_CONTROLS = 2;

/**
 * A file's text, decoded by its byte order mark, by the declared encoding if that fits, as UTF-8, or else as
 * Windows-1252. Null if it is no text.
 * @param charset as the server declares it, or null
 */
export function decodedText(bytes: Buffer, charset: string | null): string | null {
  const start = bytes.subarray(0, DECLARED_WITHIN).toString('latin1');
  if (NO_TEXT.some((begin) => start.startsWith(begin))) return null;
  const declared = [DECLARED.exec(start)?.[1], charset].filter((one) => !isFallback(one));
  const mark = byMark(bytes);
  const guesses = mark === null ? [...declared, byZeros(bytes), 'utf-8', FALLBACK] : [mark];
  for (const guess of guesses) {
    const text = guess == null ? null : decodedAs(guess, bytes);
    if (text !== null && isReadable(text)) return text;
  }
  return null;
}

function byMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** UTF-16 without a mark: each Latin letter has a zero byte. */
function byZeros(bytes: Buffer): string | null {
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [high = 0, low = 0] = zeros;
  if (Math.min(high, low) > 0 || (high + low) * 2 * MIN_ZEROS < bytes.length) return null;
  return high > low ? 'utf-16be' : 'utf-16le';
}

/** It fits any bytes, and no text is UTF-8 by chance: its declaration proves nothing. */
function isFallback(charset: string | null | undefined): boolean {
  try {
    return charset == null || new TextDecoder(charset).encoding === FALLBACK;
  } catch {
    return true;
  }
}

function decodedAs(charset: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // The encoding is unknown, or does not fit the bytes.
    return null;
  }
}

function isReadable(text: string): boolean {
  if (text.includes('\u0000')) return false;
  let controls = 0;
  for (const character of text) if (isControl(character)) controls += 1;
  return controls * 100 <= text.length * MAX_CONTROLS;
}

/** All except those that lay out text, and the one that starts a terminal's colours. */
function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isLayout = (code >= 9 && code <= 13) || code === 27;
  return (code < 32 && !isLayout) || (code >= 127 && code < 160) || code === 0xfffd;
}
