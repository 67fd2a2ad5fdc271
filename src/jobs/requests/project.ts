import { isNear } from './near.ts';

/** A project of the agent API. */
export interface Project {
  /** Its id at the API. */
  readonly id: string;
  /** What people call it: one word. */
  readonly name: string;
  /** Where its pull requests are announced, besides the notice channels of all projects. */
  readonly noticeChannels: readonly string[];
}

/** The default is first. */
export type Projects = readonly [Project, ...Project[]];

export type Addressed =
  /** `isForced`: `--` says that it is a prompt. */
  | {
      readonly kind: 'known';
      readonly project: Project;
      readonly prompt: string;
      readonly isForced: boolean;
    }
  | UnknownProject;

/** `names`: those that there are. `meant`: the one that is one slip away, or null. */
export interface UnknownProject {
  readonly kind: 'unknown_project';
  readonly name: string;
  readonly names: readonly string[];
  readonly meant: string | null;
}

const FORCED_PROMPT = /^--(?:\s+|$)/;
/** Slack makes a link of a name that looks like an address: `<http://docs.example|docs.example>`. */
const NAMED_PROJECT = /^project=(?:<[^<>|\s]*\|([^<>\s]*)>|(\S*))\s*/i;

/**
 * Which project a text is for: `project=name` at its start says so, else it is the default. `--` at the start, or
 * behind that, makes a prompt of whatever follows.
 */
export function addressed(text: string, projects: Projects, byDefault: Project): Addressed {
  const trimmed = text.trim();
  const [start = '', linked, name = linked] = NAMED_PROJECT.exec(trimmed) ?? [];
  const project = name === undefined ? byDefault : projectCalled(name, projects);
  if ('kind' in project) return project;
  const rest = trimmed.slice(start.length);
  const prompt = rest.replace(FORCED_PROMPT, '');
  return { kind: 'known', project, prompt, isForced: FORCED_PROMPT.test(rest) };
}

/** The project with this name or id, in capitals or not. */
export function projectCalled(called: string, projects: Projects): Project | UnknownProject {
  const asked = called.toLowerCase();
  const found = projects.find(({ id, name }) => [name, id].some((known) => known.toLowerCase() === asked));
  if (found !== undefined) return found;
  const names = projects.map(({ name }) => name);
  const meant = names.find((name) => isNear(asked, name.toLowerCase())) ?? null;
  return { kind: 'unknown_project', name: called, names, meant };
}
