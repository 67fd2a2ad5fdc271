import { matchesGlob, posix } from 'node:path';

/** One line of `git diff-index --raw`: a file as it was in the base commit, and as the agent left it. */
export interface Change {
  readonly path: string;
  readonly before: Entry;
  readonly after: Entry;
}

/** The mode 000000: there is no file. */
interface Entry {
  readonly mode: string;
  readonly object: string;
}

const SYMLINK = '120000';
export const SUBMODULE = '160000';
/** What a code host runs by itself: whoever may write these may run anything there. */
const WORKFLOWS = new Set(['.github', '.gitlab-ci.yml', '.gitlab', '.circleci', '.gitea', '.forgejo']);

/** Reads the output of `git diff-index --raw -z --no-renames`. */
export function parseChanges(raw: string): Change[] {
  const parts = raw.split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    const [before = '', after = '', ...objects] = (parts[2 * index] ?? '').slice(1).split(' ');
    const [beforeObject = '', afterObject = ''] = objects;
    return {
      path: parts[2 * index + 1] ?? '',
      before: { mode: before, object: beforeObject },
      after: { mode: after, object: afterObject },
    };
  });
}

export function isSymlink({ after }: Change): boolean {
  return after.mode === SYMLINK;
}

/**
 * Whether the change may be committed.
 * @param patterns of the files that may change; empty: all
 * @param linkTarget what the file points to, if it is a symbolic link; null: not known
 */
export function mayCommit(
  { path, after }: Change,
  patterns: readonly string[],
  linkTarget: string | null,
): boolean {
  if (after.mode === SUBMODULE) return false;
  if (after.mode === SYMLINK && (linkTarget === null || leavesRepository(path, linkTarget))) return false;
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

/** The input of `git update-index -z --index-info` that puts the files back as they were. */
export function restoring(changes: readonly Change[]): string {
  return changes.map(({ path, before }) => `${before.mode} ${before.object}\t${path}\0`).join('');
}
