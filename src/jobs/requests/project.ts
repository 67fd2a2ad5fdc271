import { FORCED_PROMPT } from './command.ts';

export function isNear(word: string, name: string): boolean {
  return isWithin(1, word, name);
}

export function nearest<Name extends string>(
  word: string,
  names: readonly Name[],
  slipsMax: (name: Name) => number = () => 1,
): Name | null {
  const most = Math.max(0, ...names.map(slipsMax));
  for (let slips = 0; slips <= most; slips += 1) {
    const found = names.find((name) => slips <= slipsMax(name) && isWithin(slips, word, name));
    if (found !== undefined) return found;
  }
  return null;
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
  const offered = projects.map(({ id, name }) => ({ id, name }));
  const meant = nearest(
    asked,
    offered.map(({ name }) => name.toLowerCase()),
  );
  const isMeant = ({ name }: NamedProject) => name.toLowerCase() === meant;
  const nearestFirst = [...offered.filter(isMeant), ...offered.filter((one) => !isMeant(one))];
  return { kind: 'unknown_project', name: called.slice(0, NAME_MAX), projects: nearestFirst };
}

export function isNoProject(names: readonly string[]): string {
  return `is not one of the projects (${names.join(', ') || 'there are none in this file'})`;
}
