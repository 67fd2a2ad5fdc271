export type Command = Readonly<
  | { kind: PlainWord }
  | { kind: 'compose' }
  /** The id of a job here or at the agent API, or null: the person's own jobs. */
  | { kind: 'status'; id: string | null }
  | { kind: 'run'; name: string }
  /** The id of a job at the agent API, and its project's name; null: the channel's project. */
  | { kind: 'watch'; id: string; projectName: string | null }
  /** As typed: `project.ts` reads its start. */
  | { kind: 'prompt'; text: string }
>;

type PlainWord = 'help' | 'list' | 'settings' | 'doctor' | 'report' | 'recipes';

export const commandNames = [
  'help',
  'list',
  'status',
  'watch',
  'settings',
  'doctor',
  'report',
  'recipes',
] as const;
export type CommandName = (typeof commandNames)[number];

const PLAIN_COMMAND = /^(help|list|settings|doctor|report|recipes)$/i;
const STATUS = /^status(?:\s+(\S+))?$/i;
/** Ids, numbers and links are no plain words. */
const PLAIN_WORD = /^[\p{L}\p{M}'’-]+[.!?]?$/u;
const RUN = /^run(?:\s+([a-z0-9_-]+))?$/i;
const WATCH = /^(?:project=(\S+)\s+)?watch\s+(\S+)$/i;

/** `-- list` makes a request of anything. Phones turn two dashes into one. */
export const FORCED_PROMPT = /^(?:--(?:\s+|$)|[—–]\s*)/u;

/**
 * Reserved words count only as the whole text (with their one argument), so that `list all our endpoints` is
 * a prompt; `-- help` makes a prompt of anything.
 */
export function parseCommand(text: string): Command {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'compose' };
  const plain = PLAIN_COMMAND.exec(trimmed)?.[1]?.toLowerCase() as PlainWord | undefined;
  if (plain !== undefined) return { kind: plain };
  const status = STATUS.exec(trimmed);
  if (status !== null) return { kind: 'status', id: status[1] ?? null };
  const run = RUN.exec(trimmed);
  if (run !== null) return run[1] === undefined ? { kind: 'recipes' } : { kind: 'run', name: run[1] };
  const [, projectName = null, watched] = WATCH.exec(trimmed) ?? [];
  if (watched !== undefined) return { kind: 'watch', id: watched, projectName };
  return { kind: 'prompt', text: trimmed };
}

/** The word after `status`, if no job can have that name. */
export function statusWord(text: string): string | null {
  const [, word] = STATUS.exec(text.trim()) ?? [];
  return word !== undefined && PLAIN_WORD.test(word) ? word : null;
}

/** A word by which a reply says that it is not for the agent. */
export type ThreadWord = 'aside' | 'mute' | 'unmute';

const ASIDE = /^\s*aside(?=[\s:,.;!—]|$)(?!\s+from\b)/i;
const MUTING = /^\s*(mute|unmute)\s*$/i;

/** `aside` counts as a reply's first word (not `aside from …`), `mute` and `unmute` as all of it. */
export function threadWordOf(text: string): ThreadWord | null {
  if (ASIDE.test(text)) return 'aside';
  const [, word] = MUTING.exec(text) ?? [];
  return word === undefined ? null : word.toLowerCase() === 'mute' ? 'mute' : 'unmute';
}

/** Not spaces, control and format characters, those that Unicode calls ignorable, and Braille's blank. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

export type PromptVerdict = Readonly<
  { kind: 'ok' } | { kind: 'empty' } | { kind: 'too_long'; length: number; maxLength: number }
>;

export function judgePrompt(text: string, maxLength: number): PromptVerdict {
  if (isBlank(text)) return { kind: 'empty' };
  // By code points: what people call a character is rarely two of them, and often two UTF-16 units.
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length > maxLength) return { kind: 'too_long', length, maxLength };
  return { kind: 'ok' };
}

/** Undoes Slack's escaping, which makes `&`, `<` and `>` several characters long. */
export function unescaped(slackText: string): string {
  return slackText.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
