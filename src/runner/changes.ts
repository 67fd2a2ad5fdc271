import { matchesGlob, posix } from 'node:path';

export interface Change {
  readonly path: string;
  /** Mode and object for `git update-index --index-info`; mode 000000: no file. */
  readonly before: string;
  readonly mode: string;
  readonly object: string;
}

export const SYMLINK = '120000';
export const SUBMODULE = '160000';
/** Code hosts run these, with access to anything. */
const WORKFLOWS = new Set(['.github', '.gitlab-ci.yml', '.gitlab', '.circleci', '.gitea', '.forgejo']);

/** Parses `git diff-index --raw -z --no-renames`. */
export function parseChanges(raw: string): Change[] {
  const lines = raw.matchAll(/:(\d+) (\d+) (\w+) (\w+) \w+\0([^\0]+)\0/gy);
  return Array.from(lines, ([, oldMode, mode = '', oldObject, object = '', path = '']) => {
    return { path, before: `${oldMode} ${oldObject}`, mode, object };
  });
}

/** @param patterns empty: all files @param target null: unknown */
export function mayCommit(change: Change, patterns: readonly string[], target: string | null): boolean {
  const { path, mode } = change;
  if (mode === SUBMODULE) return false;
  if (mode === SYMLINK && (target === null || leavesRepository(path, target))) return false;
  if (WORKFLOWS.has(path.split('/', 1)[0]?.toLowerCase() ?? '')) return false;
  return patterns.length === 0 || patterns.some((pattern) => matchesGlob(dotless(path), dotless(pattern)));
}

/** Node's globs skip names with a leading dot. */
function dotless(path: string): string {
  return path.replace(/(?<=^|\/)\./g, '_.');
}

/** After a name, which may be another link, `..` leads anywhere. */
function leavesRepository(path: string, target: string): boolean {
  const steps = target.split('/');
  if (steps.some((step) => step.toLowerCase() === '.git')) return true;
  const found = steps.findIndex((step) => step !== '..');
  const up = found === -1 ? steps.length : found;
  return posix.isAbsolute(target) || up >= path.split('/').length || steps.includes('..', up);
}
