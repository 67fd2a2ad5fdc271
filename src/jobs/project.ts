/** A project of the agent API. */
export interface Project {
  /** Its id at the API. */
  readonly id: string;
  /** What people call it: one word. */
  readonly name: string;
  /** Where its pull requests are told of, besides the notice channels of all projects. */
  readonly noticeChannels: readonly string[];
}

/** The default comes first. */
export type Projects = readonly [Project, ...Project[]];

export type Addressed =
  | { readonly kind: 'known'; readonly project: Project; readonly prompt: string }
  /** `names`: those that there are. */
  | { readonly kind: 'unknown_project'; readonly name: string; readonly names: readonly string[] };

const FORCED_PROMPT = /^--(?:\s+|$)/;
const NAMED_PROJECT = /^project=(\S*)\s*/i;

/**
 * Which project a text is for: `project=name` at its start says so, else it is the default. `--` at the start makes
 * a prompt of whatever follows.
 */
export function addressed(text: string, projects: Projects, byDefault: Project): Addressed {
  const trimmed = text.trim();
  if (FORCED_PROMPT.test(trimmed)) {
    return { kind: 'known', project: byDefault, prompt: trimmed.replace(FORCED_PROMPT, '') };
  }
  const named = NAMED_PROJECT.exec(trimmed);
  if (named === null) return { kind: 'known', project: byDefault, prompt: trimmed };
  const [start, name = ''] = named;
  const project = projectCalled(name, projects);
  return 'kind' in project ? project : { kind: 'known', project, prompt: trimmed.slice(start.length) };
}

/** The project with this name or id, in capitals or not. */
export function projectCalled(
  called: string,
  projects: Projects,
): Project | Extract<Addressed, { kind: 'unknown_project' }> {
  const found = projects.find(({ id, name }) =>
    [name, id].some((known) => known.toLowerCase() === called.toLowerCase()),
  );
  return found ?? { kind: 'unknown_project', name: called, names: projects.map(({ name }) => name) };
}
