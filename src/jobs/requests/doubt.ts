import { type CommandName, commandNames, statusWord } from './command.ts';
import { isNear } from './near.ts';
import { smallTalkOf } from './small-talk.ts';

/** Why a text was hardly meant as a request. */
export type Doubt =
  /** It is nearly this command. */
  | { readonly kind: 'near_command'; readonly command: CommandName }
  /** `status codes`: there is no such job. */
  | { readonly kind: 'no_such_job'; readonly word: string }
  /** It is one word, or small talk, or begins with what people hope is a command. */
  | { readonly kind: 'hardly_a_request' };

const WORDS_MAX = 3;
const WORD_LENGTH_MAX = 20;
/** A shorter start may be that of any word. */
const PREFIX_MIN = 3;
/** What people try where there is no such command. */
const HOPED_FOR = new Set(['stop', 'cancel', 'abort', 'undo', 'mute', 'unmute', 'aside']);
/** Scripts that do not separate words by spaces: one "word" may be a whole request. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Java}\p{sc=Bali}]/u;

/**
 * A started job cannot be stopped: what was hardly meant as a request is asked about first. Null: it is a request.
 * @param text as people read it
 */
export function doubtOf(text: string): Doubt | null {
  if (smallTalkOf(text) !== null) return { kind: 'hardly_a_request' };
  const words = text.trim().split(/\s+/);
  if (words.length > WORDS_MAX || UNSPACED.test(text)) return null;
  const first = bare(words[0] ?? '');
  const word = statusWord(text);
  if (word !== null) return { kind: 'no_such_job', word };
  const isOneWord = words.length === 1;
  if (isOneWord && [...text.trim()].length > WORD_LENGTH_MAX) return null;
  const command = commandNames.find((name) => isNear(first, name) || (isOneWord && isStartOf(first, name)));
  if (command !== undefined) return { kind: 'near_command', command };
  return isOneWord || HOPED_FOR.has(first) ? { kind: 'hardly_a_request' } : null;
}

/** Without the punctuation around it, as in `/list` and `help!`. */
function bare(word: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(word)?.[0].toLowerCase() ?? '';
}

function isStartOf(word: string, name: string): boolean {
  return word.length >= PREFIX_MIN && name.startsWith(word);
}
