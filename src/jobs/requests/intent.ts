import {
  type Command,
  type CommandName,
  commandNames,
  FORCED_PROMPT,
  isNear,
  parseCommand,
  statusWord,
  unescaped,
} from './command.ts';
import * as words from './words.ts';

export type Intent = Readonly<
  | {
      kind:
        | 'request'
        | 'question'
        | 'details'
        | 'stop'
        | 'small_talk'
        | 'progress'
        | 'colleague'
        | 'one_word';
    }
  | Exclude<Command, { kind: 'prompt' }>
  | { kind: 'near_command'; command: CommandName }
  /** As in `status codes`. */
  | { kind: 'no_such_job'; word: string }
>;

const LENGTH_MAX = 400;
const PHRASED_WORDS_MAX = 8;
const NEAR_WORDS_MAX = 3;
const QUESTION_WORDS_MAX = 40;
const ONE_WORD_LENGTH_MAX = 20;
const PREFIX_MIN = 3;

const TO_SOMEBODY = /^\s*<[@!]/;
/** Ignored in phrases: `<@U123>`, `<!here>`, `#42`, `job 42`. */
const NAMED = /<[@!][^<>]*>|(?<!\S)(?:job #?|#)\d{1,9}(?!\w)/gi;
const LABELLED = /<(?:[^<>|]*\|)?([^<>|]*)>/g;
/** `:tada:`, `👍🏽`, `❤️`, `1️⃣`, `:-)`, `xD`, `^^`, `<3`, `+1`, `!!1`; unlike in Unicode, no lone digit. */
const EMOJI =
  /:[\p{L}\p{M}\p{N}_+'-]+:|[\d#*]\ufe0f?\u20e3|[\p{Extended_Pictographic}\p{Regional_Indicator}](?:\p{Emoji_Modifier}|\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200d|\ufe0f|[\u{e0020}-\u{e007f}])*|\^_?\^|[:;]-?[)dp](?!\w)|(?<!\w)xd+(?!\w)|¯\\_\(ツ\)_\/¯|<3|\+1(?!\d)|(?<=!)1+(?!\w)/giu;
/** Scripts without spaces: one "word" may be a whole request. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Java}\p{sc=Bali}]/u;

/** Unicode does not decompose these. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', ı: 'i', œ: 'oe' };

const GREETINGS = phrases(words.greetings);
const KIND_WORDS = GREETINGS.union(phrases(words.thanks));
const COURTESIES = KIND_WORDS.union(phrases(words.courtesies));
const SMALL_TALK = phrases(words.smallTalk.heads);

const INTENTS: readonly (readonly [Intent, words.Phrases])[] = [
  [{ kind: 'stop' }, words.stop],
  [{ kind: 'help' }, words.help],
  [{ kind: 'list' }, words.list],
  [{ kind: 'details' }, words.details],
  [{ kind: 'status', id: null }, words.status],
  [{ kind: 'progress' }, words.progress],
];
const MEANINGS = [
  ...INTENTS.map(([intent, { heads: always, companions = '', asked = '' }]) => {
    const heads = phrases(always);
    return {
      intent,
      heads,
      asked: heads.union(phrases(asked)),
      beside: COURTESIES.union(phrases(companions)),
    };
  }),
  {
    intent: { kind: 'small_talk' } as const,
    heads: KIND_WORDS.union(SMALL_TALK),
    // A question in other kind words is no small talk.
    asked: GREETINGS,
    beside: COURTESIES.union(SMALL_TALK).union(phrases(words.smallTalk.companions)),
  },
];
/** Blanks show where a word must begin or end. */
const CHANGES = [
  ...words.changes
    .trim()
    .split(/\s+/)
    .flatMap((word) => [...phrases(word)].map((known) => ` ${known}${word.endsWith('*') ? '' : ' '}`)),
  ...phrases(words.changesWithin),
];

/**
 * Only a `request` goes out without its author's confirmation. `isToBot` false: the text may be for the
 * person it mentions first.
 */
export function intentOf(slackText: string, isToBot = true): Intent {
  const text = slackText.trim();
  if (!isToBot && TO_SOMEBODY.test(text)) return { kind: 'colleague' };
  if (FORCED_PROMPT.test(text) || text.length > LENGTH_MAX) return { kind: 'request' };
  const command = parseCommand(text);
  const word = statusWord(text);
  if (command.kind !== 'prompt' && word === null) return command;
  const inPhrases = phraseIntent(text);
  if (inPhrases !== null) return inPhrases;
  if (word !== null) return { kind: 'no_such_job', word };
  return doubt(unescaped(text.replace(LABELLED, '$1'))) ?? { kind: 'request' };
}

/** `answersInWords`: the agent can answer questions. */
export function isDoubtful(slackText: string, answersInWords = () => false): boolean {
  const { kind } = intentOf(slackText);
  if (kind === 'question' && answersInWords()) return false;
  return kind !== 'request' && kind !== 'run';
}

function phraseIntent(slackText: string): Intent | null {
  const said = unescaped(slackText.replace(NAMED, ' '));
  const rest = said.replace(EMOJI, ' ');
  const tokens = tokensOf(rest);
  if (tokens.length === 0) {
    return rest !== said && /^[\s\p{P}]*$/u.test(rest) ? { kind: 'small_talk' } : null;
  }
  if (tokens.length > PHRASED_WORDS_MAX) return null;
  const isAsked = /[?？؟]/u.test(rest);
  const found = MEANINGS.find(({ heads, asked, beside }) => covers(tokens, isAsked ? asked : heads, beside));
  return found?.intent ?? null;
}

/** True for known phrases only, with at least one head. */
function covers(
  tokens: readonly string[],
  heads: ReadonlySet<string>,
  beside: ReadonlySet<string>,
  hasHead = false,
): boolean {
  if (tokens.length === 0) return hasHead;
  return tokens.some((_, last) => {
    const phrase = tokens.slice(0, last + 1).join(' ');
    const isHead = heads.has(phrase);
    if (!isHead && !beside.has(phrase)) return false;
    return covers(tokens.slice(last + 1), heads, beside, hasHead || isHead);
  });
}

function doubt(text: string): Intent | null {
  const apart = text.split(/\s+/);
  if (isQuestion(text)) return { kind: 'question' };
  if (apart.length > NEAR_WORDS_MAX || UNSPACED.test(text)) return null;
  const [first = ''] = tokensOf(apart[0] ?? '');
  const isOneWord = apart.length === 1;
  if (isOneWord && [...text].length > ONE_WORD_LENGTH_MAX) return null;
  const isStart = isOneWord && first.length >= PREFIX_MIN;
  const command = commandNames.find((name) => isNear(first, name) || (isStart && name.startsWith(first)));
  if (command !== undefined) return { kind: 'near_command', command };
  return isOneWord ? { kind: 'one_word' } : null;
}

function isQuestion(text: string) {
  const end = Math.max(...['?', '？', '؟'].map((mark) => text.lastIndexOf(mark)));
  if (end < 0 || !/^[\s\p{P}]*$/u.test(text.slice(end))) return false;
  const tokens = tokensOf(text);
  if (tokens.length === 0 || tokens.length > QUESTION_WORDS_MAX) return false;
  const whole = ` ${tokens.join(' ')} `;
  return !CHANGES.some((change) => whole.includes(change));
}

function tokensOf(text: string): string[] {
  return wordsIn(plainOf(text));
}

function wordsIn(plain: string): string[] {
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** `don't` becomes `dont`, and `thaaanks` `thanks`. */
function plainOf(text: string) {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʼ]/gu, '')
    .replace(/[ßøłæıœ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/(\p{L})\1{2,}/gu, '$1');
}

function phrases(list: string): ReadonlySet<string> {
  const found = plainOf(list)
    .split(/[,\n]/)
    .flatMap(variantsOf)
    .map((phrase) => wordsIn(phrase).join(' '));
  return new Set(found.filter((phrase) => phrase !== ''));
}

/** See `words.ts` for the notation; the innermost brackets come first. */
function variantsOf(phrase: string): readonly string[] {
  const [choice] =
    /\([^()[\]]*\)|\[[^()[\]]*\]/.exec(phrase) ?? phrase.split(' ').filter((word) => word.includes('/'));
  if (choice === undefined) return [phrase];
  const ways = choice.replace(/[()[\]]/g, '').split('/');
  if (choice.startsWith('[')) ways.push('');
  return ways.flatMap((way) => variantsOf(phrase.replace(choice, way)));
}
