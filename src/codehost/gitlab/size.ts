import { z } from 'zod';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import { UnreadableError } from '../client/unreadable.ts';
import { listOf } from '../decode.ts';
import type { Read } from '../dialect.ts';

const PAGE = 100;
const PAGES_MAX = 3;

const whole = z.int().min(0);
/** Null: this GitLab does not say. */
const flag = z.boolean().nullable().catch(null);

/** Only the counts of a file's diff are kept. */
const diffs = listOf(
  z
    .object({
      diff: z.string().exactOptional(),
      added: whole.exactOptional(),
      removed: whole.exactOptional(),
      isLeftOut: z.boolean().exactOptional(),
      collapsed: flag,
      too_large: flag,
    })
    .transform(({ diff, added = 0, removed = 0, isLeftOut = true, collapsed, too_large: tooLarge }) => {
      if (diff === undefined) return { added, removed, isLeftOut };
      // Before 18.4, only an empty diff shows it. (So does a renamed file.)
      return { ...linesIn(diff), isLeftOut: collapsed || tooLarge || (collapsed === null && diff === '') };
    }),
);

/**
 * The changed files and lines, counted here: GitLab's API has diffs, but no counts. Empty for a version
 * without them, and if diffs are left out because they are too many or too long: then the count would be
 * wrong.
 */
export async function readSize(
  read: Read,
  { number }: { readonly number: number; readonly commit: string },
): Promise<PullRequestFacts> {
  let [files, added, removed] = [0, 0, 0];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const found = await readPage(read, number, page);
    if (found === null || found.some((file) => file.isLeftOut)) return {};
    files += found.length;
    for (const file of found) {
      added += file.added;
      removed += file.removed;
    }
    if (found.length < PAGE) return { size: { files, lines: { added, removed } } };
  }
  return {};
}

/** Null: this GitLab has no diffs in its API (before 15.7). */
async function readPage(read: Read, number: number, page: number) {
  try {
    return await read(`/merge_requests/${number}/diffs?per_page=${PAGE}&page=${page}`, diffs);
  } catch (error) {
    if (error instanceof UnreadableError && error.failure.kind === 'not_found') return null;
    throw error;
  }
}

/** The lines before the first hunk describe the file. */
function linesIn(diff: string): { readonly added: number; readonly removed: number } {
  let isInHunk = false;
  let [added, removed] = [0, 0];
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) isInHunk = true;
    else if (isInHunk && line.startsWith('+')) added += 1;
    else if (isInHunk && line.startsWith('-')) removed += 1;
  }
  return { added, removed };
}
