import { z } from 'zod';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import { listOf, NAME_MAX_LENGTH, text } from '../decode.ts';
import type { Read } from '../dialect.ts';

const PAGE = 100;
const PAGES_MAX = 5;

const review = z.object({
  user: z
    .object({ login: text(NAME_MAX_LENGTH) })
    .nullable()
    .catch(null),
  state: text(NAME_MAX_LENGTH),
});
const reviews = listOf(review);

/** What reviewers said last. Comments are no opinion, and a review that was dismissed takes the opinion back. */
export async function readReview(
  read: Read,
  { number }: { readonly number: number },
): Promise<PullRequestFacts> {
  const opinions = new Map<string, string>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const found = await read(`/pulls/${number}/reviews?per_page=${PAGE}&page=${page}`, reviews);
    for (const { user, state } of found) {
      if (state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED')
        opinions.set(user?.login ?? '', state);
    }
    if (found.length < PAGE) return { ...sumOf(new Set(opinions.values())) };
  }
  // The last ones count, and they are further on.
  return {};
}

function sumOf(opinions: ReadonlySet<string>): PullRequestFacts {
  if (opinions.has('CHANGES_REQUESTED')) return { review: 'changes_requested' };
  return opinions.has('APPROVED') ? { review: 'approved' } : {};
}
