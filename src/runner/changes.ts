import { matchesGlob, posix } from 'node:path';

/** One line of `git diff-index --raw`: a file as it was in the base commit, and as the agent left it. */
export interface Change {
  readonly path: string;
  /** Its mode and object, as `git update-index --index-info` takes them; the mode 000000: there was no file. */
  readonly before: string;
  readonly mode: string;
  readonly object: string;
}

export const SYMLINK = '120000';
export const SUBMODULE = '160000';
/** What a code host runs by itself: whoever may write these may run anything there. */
const WORKFLOWS = new Set(['.github', '.gitlab-ci.yml', '.gitlab', '.circleci', '.gitea', '.forgejo']);

/** Reads the output of `git diff-index --raw -z --no-renames`. */
export function parseChanges(raw: string): Change[] {
  const lines = raw.matchAll(/:(\d+) (\d+) (\w+) (\w+) \w+\0([^\0]+)\0/gy);
  return Array.from(lines, ([, oldMode, mode = '', oldObject, object = '', path = '']) => {
    return { path, before: `${oldMode} ${oldObject}`, mode, object };
  });
}

/**
 * Whether the change may be committed.
 * @param patterns of the files that may change; empty: all
 * @param target what the file points to, if it is a symbolic link; null: not known
 */
export function mayCommit(change: Change, patterns: readonly string[], target: string | null): boolean {
  const { path, mode } = change;
  if (mode === SUBMODULE) return false;
  if (mode === SYMLINK && (target === null || leavesRepository(path, target))) return false;
  if (WORKFLOWS.has(path.split('/', 1)[0]?.toLowerCase() ?? '')) return false;
  return patterns.length === 0 || patterns.some((pattern) => matchesGlob(dotless(path), dotless(pattern)));
}

/** Node's patterns leave out names that begin with a dot. */
function dotless(path: string): string {
  return path.replace(/(?<=^|\/)\./g, '_.');
}

/** Only leading `..` are followed: after a name, which may be another link, they lead anywhere. */
function leavesRepository(path: string, target: string): boolean {
  const steps = target.split('/');
  if (steps.some((step) => step.toLowerCase() === '.git')) return true;
  const found = steps.findIndex((step) => step !== '..');
  const up = found === -1 ? steps.length : found;
  return posix.isAbsolute(target) || up >= path.split('/').length || steps.includes('..', up);
}
