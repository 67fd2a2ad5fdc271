import { FORCED_PROMPT } from './command.ts';
import { nearest } from './near.ts';

/** A project of the agent API. */
export interface Project {
  /** Its id at the API. */
  readonly id: string;
  /** Its name, one word. */
  readonly name: string;
  /** Where its pull requests are announced, besides the general notice channels. */
  readonly noticeChannels: readonly string[];
}

/** A project as people know it. */
export type NamedProject = Pick<Project, 'id' | 'name'>;

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
  /** `prompt`: what follows the name. */
  | (UnknownProject & { readonly prompt: string });

/** `projects`: the existing ones, the nearest name first. */
export interface UnknownProject {
  readonly kind: 'unknown_project';
  readonly name: string;
  readonly projects: readonly NamedProject[];
}

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

/** The project with this name or id, in any case. */
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
