import {
  type Command,
  type CommandName,
  commandNames,
  FORCED_PROMPT,
  parseCommand,
  statusWord,
  unescaped,
} from './command.ts';
import { isNear } from './project.ts';
import * as words from './words.ts';

export type Intent = Readonly<
  | { kind: 'request' }
  /** A command, typed or in words; *details* of the job at hand. */
  | { kind: 'command'; command: Exclude<Command, { kind: 'prompt' }> }
  | { kind: 'details' }
  /** To end what runs. */
  | { kind: 'stop' }
  | { kind: 'small_talk' }
  | { kind: 'progress' }
  /** It begins with the mention of somebody else. */
  | { kind: 'colleague' }
  | { kind: 'near_command'; command: CommandName }
  /** `status codes`: there is no such job. */
  | { kind: 'no_such_job'; word: string }
  /** One word: as a request, it says little. */
  | { kind: 'one_word' }
  /** To be answered, not carried out: it has no word of change. */
  | { kind: 'question' }
>;

/** Longer texts are requests, whatever they say. */
const LENGTH_MAX = 400;
const PHRASED_WORDS_MAX = 8;
const NEAR_WORDS_MAX = 3;
const QUESTION_WORDS_MAX = 40;
const ONE_WORD_LENGTH_MAX = 20;
/** A shorter start may be that of any word. */
const PREFIX_MIN = 3;

const TO_SOMEBODY = /^\s*<[@!]/;
/** Names beside a phrase that do not change its meaning: `<@U123>`, `<!here>`, `#42`, `job 42`. */
const NAMED = /<[@!][^<>]*>|(?<!\S)(?:job #?|#)\d{1,9}(?!\w)/gi;
/** A link, or another of Slack's tokens, as people read it. */
const LABELLED = /<(?:[^<>|]*\|)?([^<>|]*)>/g;
/**
 * `:tada:`, `👍🏽`, `❤️`, `1️⃣`, `:-)`, `xD`, `^^`, `<3`, `+1`, `!!1`. A digit alone is no emoji, though
 * Unicode calls it one.
 */
const EMOJI =
  /:[\p{L}\p{M}\p{N}_+'-]+:|[\d#*]\ufe0f?\u20e3|[\p{Extended_Pictographic}\p{Regional_Indicator}](?:\p{Emoji_Modifier}|\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200d|\ufe0f|[\u{e0020}-\u{e007f}])*|\^_?\^|[:;]-?[)dp](?!\w)|(?<!\w)xd+(?!\w)|¯\\_\(ツ\)_\/¯|<3|\+1(?!\d)|(?<=!)1+(?!\w)/giu;
/** Scripts without spaces between words: one "word" may be a whole request. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Java}\p{sc=Bali}]/u;

/** Those that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', ı: 'i', œ: 'oe' };

const GREETINGS = phrases(words.greetings);
const SMALL_TALK = phrases(words.greetings, words.thanks, words.smallTalk.heads);
const SMALL_TALK_BESIDE = phrases(words.courtesies, words.smallTalk.companions);
/** May stand beside anything but small talk alone. */
const COURTESIES = phrases(words.courtesies, words.greetings, words.thanks);

/** The first that covers a text decides. */
const MEANINGS: ReadonlyArray<Meaning & { readonly intent: Intent }> = [
  { intent: { kind: 'stop' }, ...meaning(words.stop) },
  { intent: { kind: 'command', command: { kind: 'help' } }, ...meaning(words.help) },
  { intent: { kind: 'command', command: { kind: 'list' } }, ...meaning(words.list) },
  { intent: { kind: 'details' }, ...meaning(words.details) },
  { intent: { kind: 'command', command: { kind: 'status', id: null } }, ...meaning(words.status) },
  { intent: { kind: 'progress' }, ...meaning(words.progress) },
];
const [CHANGED, CHANGING] = changeWords();
const CHANGE_WITHIN = [...phrases(words.changesWithin)];

type Meaning = Readonly<{
  heads: ReadonlySet<string>;
  /** Those and what means it with a question mark. */
  asked: ReadonlySet<string>;
  companions: ReadonlySet<string>;
}>;

/**
 * The one place that decides what a text is, from all of it but its punctuation. Nothing but a request may go
 * to the agent, or be seen in public, before its author has been asked.
 * @param slackText as Slack delivers it, or as people read it
 * @param isToBot false: it may be meant for somebody else, whom it mentions first
 */
export function intentOf(slackText: string, isToBot = true): Intent {
  const text = slackText.trim();
  if (!isToBot && TO_SOMEBODY.test(text)) return { kind: 'colleague' };
  if (FORCED_PROMPT.test(text) || text.length > LENGTH_MAX) return { kind: 'request' };
  const command = parseCommand(text);
  const word = statusWord(text);
  if (command.kind !== 'prompt' && word === null) return { kind: 'command', command };
  const inPhrases = phraseIntent(text);
  if (inPhrases !== null) return inPhrases;
  if (word !== null) return { kind: 'no_such_job', word };
  return doubt(unescaped(text.replace(LABELLED, '$1'))) ?? { kind: 'request' };
}

/** Whether the author is asked before it starts a job. @param slackText as Slack delivers it */
export function isDoubtful(slackText: string): boolean {
  const intent = intentOf(slackText);
  return intent.kind !== 'request' && (intent.kind !== 'command' || intent.command.kind !== 'run');
}

/** The meaning of a text made only of known phrases; null: it says something else, too. */
function phraseIntent(slackText: string): Intent | null {
  const said = unescaped(slackText.replace(NAMED, ' '));
  const rest = said.replace(EMOJI, ' ');
  const tokens = tokensOf(rest);
  if (tokens.length === 0) {
    return rest !== said && /^[\s\p{P}]*$/u.test(rest) ? { kind: 'small_talk' } : null;
  }
  if (tokens.length > PHRASED_WORDS_MAX) return null;
  const isAsked = /[?？؟]/u.test(rest);
  const found = MEANINGS.find(({ heads, asked, companions }) =>
    covers(tokens, isAsked ? asked : heads, [companions, COURTESIES]),
  );
  if (found !== undefined) return found.intent;
  if (!covers(tokens, SMALL_TALK, [SMALL_TALK_BESIDE])) return null;
  // A question is one even in kind words.
  return isAsked && !hasAny(tokens, GREETINGS) ? null : { kind: 'small_talk' };
}

/** Whether the words are only these phrases, with one of `heads` among them. */
function covers(
  tokens: readonly string[],
  heads: ReadonlySet<string>,
  beside: readonly ReadonlySet<string>[],
): boolean {
  const isBeside = (phrase: string) => beside.some((known) => known.has(phrase));
  // For each position: whether the words before it are phrases, and whether a head is among them.
  const reached: ('nothing' | 'beside' | 'head')[] = ['beside'];
  for (let end = 1; end <= tokens.length; end += 1) {
    reached[end] = 'nothing';
    for (let start = 0; start < end && reached[end] !== 'head'; start += 1) {
      const before = reached[start];
      if (before === 'nothing') continue;
      const phrase = tokens.slice(start, end).join(' ');
      if (heads.has(phrase) || (before === 'head' && isBeside(phrase))) reached[end] = 'head';
      else if (isBeside(phrase)) reached[end] = 'beside';
    }
  }
  return reached[tokens.length] === 'head';
}

function hasAny(tokens: readonly string[], known: ReadonlySet<string>): boolean {
  return tokens.some((_, start) =>
    tokens.some((_, end) => end >= start && known.has(tokens.slice(start, end + 1).join(' '))),
  );
}

/** Why it may not be a request; null: it is one. */
function doubt(text: string): Intent | null {
  const apart = text.split(/\s+/);
  if (isQuestion(text)) return { kind: 'question' };
  if (apart.length > NEAR_WORDS_MAX || UNSPACED.test(text)) return null;
  const [first = ''] = tokensOf(apart[0] ?? '');
  const isOneWord = apart.length === 1;
  if (isOneWord && [...text].length > ONE_WORD_LENGTH_MAX) return null;
  const command = commandNames.find((name) => isNear(first, name) || (isOneWord && isStartOf(first, name)));
  if (command !== undefined) return { kind: 'near_command', command };
  return isOneWord ? { kind: 'one_word' } : null;
}

function isStartOf(word: string, name: string): boolean {
  return word.length >= PREFIX_MIN && name.startsWith(word);
}

function isQuestion(text: string): boolean {
  const end = Math.max(...['?', '？', '؟'].map((mark) => text.lastIndexOf(mark)));
  if (end < 0 || !/^[\s\p{P}]*$/u.test(text.slice(end))) return false;
  const tokens = tokensOf(text);
  if (tokens.length === 0 || tokens.length > QUESTION_WORDS_MAX) return false;
  const isChange = (token: string) => CHANGED.has(token) || CHANGING.some((start) => token.startsWith(start));
  const whole = tokens.join(' ');
  return !tokens.some(isChange) && !CHANGE_WITHIN.some((part) => whole.includes(part));
}

/** The words without accents, in lower case; `don't` is one, and `thaaanks` is `thanks`. */
function tokensOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʼ]/gu, '')
    .replace(/[ßøłæıœ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/(\p{L})\1{2,}/gu, '$1');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function meaning({ heads, companions, asked = '' }: words.Phrases): Meaning {
  return { heads: phrases(heads), asked: phrases(heads, asked), companions: phrases(companions) };
}

function phrases(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(
    lists
      .flatMap((list) => list.split(/[|\n]/))
      .flatMap(variantsOf)
      .map((phrase) => tokensOf(phrase).join(' '))
      .filter((phrase) => phrase !== ''),
  );
}

/** `is it done/ready` stands for two phrases. */
function variantsOf(phrase: string): readonly string[] {
  const words = phrase.split(' ').map((word) => word.split('/'));
  return words.reduce(
    (starts, ways) => starts.flatMap((start) => ways.map((way) => `${start} ${way}`)),
    [''],
  );
}

/** Whole words, and beginnings of words. */
function changeWords(): readonly [ReadonlySet<string>, readonly string[]] {
  const all = words.changes.split(/[|\n]/).map((word) => word.trim());
  const beginnings = all.filter((word) => word.endsWith('*'));
  return [phrases(all.filter((word) => !word.endsWith('*')).join('|')), [...phrases(beginnings.join('|'))]];
}
