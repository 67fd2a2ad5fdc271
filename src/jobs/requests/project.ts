import { FORCED_PROMPT } from './command.ts';

/** The same, or one typo away. */
export function isNear(word: string, name: string): boolean {
  return slipsBetween(word, name) <= 1;
}

/**
 * The name that was probably meant: the one with the fewest typos, the first of several.
 * @param slipsMax how many may be in the name
 */
export function nearest<Name extends string>(
  word: string,
  names: readonly Name[],
  slipsMax: (name: Name) => number = () => 1,
): Name | null {
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ name, slips }) => slips <= slipsMax(name))
    .sort((one, other) => one.slips - other.slips);
  return best?.name ?? null;
}

/** Longer differences are another word. */
const LETTERS_MORE_MAX = 2;

/** A letter too many, too few or wrong, or two neighbours swapped, is one typo. */
function slipsBetween(word: string, name: string): number {
  if (Math.abs(word.length - name.length) > LETTERS_MORE_MAX) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= name.length; j += 1) {
      const isSame = word[i - 1] === name[j - 1];
      const isSwapped = i > 1 && j > 1 && word[i - 1] === name[j - 2] && word[i - 2] === name[j - 1];
      const ways = [slips(row, j - 1) + (isSame ? 0 : 1), slips(row, j) + 1, slips(next, j - 1) + 1];
      next.push(Math.min(...ways, isSwapped ? slips(before, j - 2) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, row] = [row, next];
  }
  return slips(row, name.length);
}

function slips(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}

export type Project = Readonly<{
  id: string;
  /** Its name, one word. */
  name: string;
  /** Where its pull requests are announced, besides the general notice channels. */
  noticeChannels: readonly string[];
}>;

export type NamedProject = Pick<Project, 'id' | 'name'>;

/** The default is first. */
export type Projects = readonly [Project, ...Project[]];

export type Addressed = Readonly<
  /** `isForced`: `--` says that it is a prompt. */
  | {
      kind: 'known';
      project: Project;
      prompt: string;
      isForced: boolean;
    }
  /** `prompt`: what follows the name. */
  | (UnknownProject & { readonly prompt: string })
>;

/** `projects`: the existing ones, the nearest name first. */
export type UnknownProject = Readonly<{
  kind: 'unknown_project';
  name: string;
  projects: readonly NamedProject[];
}>;

/** Longer names are cut when shown. */
const NAME_MAX = 100;
/** Slack links a name that looks like a domain: `<http://docs.example|docs.example>`. */
const NAMED_PROJECT = /^project=(?:<[^<>|\s]*\|([^<>\s]*)>|(\S*))\s*/i;

/**
 * Which project a text is for: the one in `project=name` at its start, else the default. `--` at the start,
 * or after that, makes a prompt of whatever follows.
 */
export function addressed(text: string, projects: Projects, byDefault: Project): Addressed {
  const trimmed = text.trim();
  const [start = '', linked, name = linked] = NAMED_PROJECT.exec(trimmed) ?? [];
  const project = name === undefined ? byDefault : projectCalled(name, projects);
  const rest = trimmed.slice(start.length);
  const prompt = rest.replace(FORCED_PROMPT, '');
  if ('kind' in project) return { ...project, prompt };
  return { kind: 'known', project, prompt, isForced: FORCED_PROMPT.test(rest) };
}

export function projectCalled(called: string, projects: Projects): Project | UnknownProject {
  const asked = called.toLowerCase();
  const found = projects.find(({ id, name }) => [name, id].some((known) => known.toLowerCase() === asked));
  if (found !== undefined) return found;
  const offered = projects.map(({ id, name }) => ({ id, name }));
  const meant = nearest(
    asked,
    offered.map(({ name }) => name.toLowerCase()),
  );
  const isMeant = ({ name }: NamedProject) => name.toLowerCase() === meant;
  const nearestFirst = [...offered.filter(isMeant), ...offered.filter((one) => !isMeant(one))];
  return { kind: 'unknown_project', name: called.slice(0, NAME_MAX), projects: nearestFirst };
}
