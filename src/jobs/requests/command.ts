export type Command = Readonly<
  | { kind: PlainWord }
  | { kind: 'compose' }
  /** A job here or at the agent API; null: the person's own jobs. */
  | { kind: 'status'; id: string | null }
  | { kind: 'run'; name: string }
  /** `projectName` null: the channel's. */
  | { kind: 'watch'; id: string; projectName: string | null }
  | { kind: 'prompt'; text: string }
>;

const plainWords = ['help', 'list', 'settings', 'doctor', 'report', 'recipes'] as const;
type PlainWord = (typeof plainWords)[number];

export const commandNames = [...plainWords, 'status', 'watch'] as const;
export type CommandName = (typeof commandNames)[number];

const STATUS = /^status(?:\s+(\S+))?$/i;
const PLAIN_WORD = /^[\p{L}\p{M}'’-]+[.!?]?$/u;

/** Phones turn two dashes into one. */
export const FORCED_PROMPT = /^(?:--(?:\s+|$)|[—–]\s*)/u;

/** `list all our endpoints` is a prompt. */
export function parseCommand(text: string): Command {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'compose' };
  const plain = plainWords.find((word) => word === trimmed.toLowerCase());
  if (plain !== undefined) return { kind: plain };
  const status = STATUS.exec(trimmed);
  if (status !== null) return { kind: 'status', id: status[1] ?? null };
  const run = /^run(?:\s+([a-z0-9_-]+))?$/i.exec(trimmed);
  if (run !== null) return run[1] === undefined ? { kind: 'recipes' } : { kind: 'run', name: run[1] };
  const [, projectName = null, watched] = /^(?:project=(\S+)\s+)?watch\s+(\S+)$/i.exec(trimmed) ?? [];
  if (watched !== undefined) return { kind: 'watch', id: watched, projectName };
  return { kind: 'prompt', text: trimmed };
}

/** Null if a job may have that name. */
export function statusWord(text: string): string | null {
  const [, word] = STATUS.exec(text.trim()) ?? [];
  return word !== undefined && PLAIN_WORD.test(word) ? word : null;
}

export type ThreadWord = 'aside' | 'mute' | 'unmute';

const ASIDE = /^\s*aside(?=[\s:,.;!—]|$)(?!\s+from\b)/i;

export function threadWordOf(text: string): ThreadWord | null {
  if (ASIDE.test(text)) return 'aside';
  const word = text.trim().toLowerCase();
  return word === 'mute' || word === 'unmute' ? word : null;
}

/** U+2800 is Braille's blank. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

export type PromptVerdict = Readonly<
  { kind: 'ok' } | { kind: 'empty' } | { kind: 'too_long'; length: number; maxLength: number }
>;

export function judgePrompt(text: string, maxLength: number): PromptVerdict {
  if (isBlank(text)) return { kind: 'empty' };
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length > maxLength) return { kind: 'too_long', length, maxLength };
  return { kind: 'ok' };
}

/** Undoes one escaping only. */
export function unescaped(slackText: string): string {
  return slackText.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
