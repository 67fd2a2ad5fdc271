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

export function isNear(word: string, name: string): boolean {
  return isWithin(1, word, name);
}

export function nearest<Name extends string>(
  word: string,
  names: readonly Name[],
  slipsMax: (name: Name) => 1 | 2 = () => 1,
): Name | null {
  const within = (slips: number) =>
    names.find((name) => slips <= slipsMax(name) && isWithin(slips, word, name));
  return within(0) ?? within(1) ?? within(2) ?? null;
}

/** Swapped neighbours are one typo. */
function isWithin(slips: number, word: string, name: string): boolean {
  if (word === name) return true;
  if (Math.abs(word.length - name.length) > slips) return false;
  const [rest, restOfName] = [word.slice(1), name.slice(1)];
  if (word[0] === name[0]) return isWithin(slips, rest, restOfName);
  if (slips === 0) return false;
  const isSwapped = word[0] === name[1] && word[1] === name[0];
  return (
    isWithin(slips - 1, rest, restOfName) ||
    isWithin(slips - 1, rest, name) ||
    isWithin(slips - 1, word, restOfName) ||
    (isSwapped && isWithin(slips - 1, word.slice(2), name.slice(2)))
  );
}

export type Project = Readonly<{ id: string; name: string; noticeChannels: readonly string[] }>;

export type NamedProject = Pick<Project, 'id' | 'name'>;

/** The default is first. */
export type Projects = readonly [Project, ...Project[]];

/** Nearest name first. */
export type UnknownProject = Readonly<{
  kind: 'unknown_project';
  name: string;
  projects: readonly NamedProject[];
}>;

const NAME_MAX = 100;
/** `<http://docs.example|docs.example>`: Slack links names that look like domains. */
const NAMED_PROJECT = /^project=(?:<[^<>|\s]*\|([^<>\s]*)>|(\S*))\s*/i;

export function parseProjectPrefix(text: string, projects: Projects, byDefault: Project) {
  const trimmed = text.trim();
  const [start = '', linked, name = linked] = NAMED_PROJECT.exec(trimmed) ?? [];
  const called = name === undefined ? byDefault : projectCalled(name, projects);
  const rest = trimmed.slice(start.length);
  const prompt = rest.replace(FORCED_PROMPT, '');
  if ('kind' in called) return { project: byDefault, unknownProject: called, prompt, isForced: false };
  return { project: called, unknownProject: null, prompt, isForced: FORCED_PROMPT.test(rest) };
}

export function projectCalled(called: string, projects: Projects): Project | UnknownProject {
  const asked = called.toLowerCase();
  const found = projects.find(({ id, name }) => [name, id].some((known) => known.toLowerCase() === asked));
  if (found !== undefined) return found;
  const names = projects.map(({ name }) => name.toLowerCase());
  const meant = nearest(asked, names);
  const isOther = ({ name }: NamedProject) => Number(name.toLowerCase() !== meant);
  const nearestFirst = projects.toSorted((one, other) => isOther(one) - isOther(other));
  const offered = nearestFirst.map(({ id, name }) => ({ id, name }));
  return { kind: 'unknown_project', name: called.slice(0, NAME_MAX), projects: offered };
}

export function noSuchProjectWords(names: readonly string[]): string {
  return `is not one of the projects (${names.join(', ') || 'there are none in this file'})`;
}
