import { z } from 'zod';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import { ifAllowed, UnreadableError } from '../client/unreadable.ts';
import { commit, known, listOf, NAME_MAX_LENGTH, publicAddress, text } from '../decode.ts';
import type { Read } from '../dialect.ts';
import { previewIn } from '../preview-hosts.ts';

const DEPLOYMENTS_MAX = 50;
const NOTES_MAX = 100;
/** Accounts of access tokens: only those who administer a project or group can make one. */
const BOT = /^(?:project|group)_\d+_bot/;

const deployments = listOf(
  z.object({
    sha: commit,
    environment: z.object({ name: text(NAME_MAX_LENGTH), external_url: publicAddress }),
  }),
);
/** Of people and their words nothing is kept: only the address in a comment of a docs host. */
const notes = listOf(
  z
    .object({
      author: z
        .object({ username: z.string().regex(BOT) })
        .nullable()
        .catch(null),
      body: z.string().catch(''),
    })
    .transform(({ author, body }) => ({ author, body: author === null ? '' : (previewIn(body) ?? '') })),
);

/** Where the commit was deployed to, production aside; else what a docs host wrote under the merge request. */
export async function readPreview(
  read: Read,
  { number, commit }: { readonly number: number; readonly commit: string },
): Promise<PullRequestFacts> {
  const newest = `order_by=id&sort=desc&status=success&per_page=${DEPLOYMENTS_MAX}`;
  const deployed = await ifAllowed(read(`/deployments?${newest}`, deployments));
  const deployment = deployed?.find(
    ({ sha, environment: { name, external_url: address } }) =>
      sha === commit && address !== null && name?.startsWith('prod') !== true,
  );
  if (deployment !== undefined) return known({ previewUrl: deployment.environment.external_url });
  const path = `/merge_requests/${number}/notes?order_by=created_at&sort=desc&per_page=${NOTES_MAX}`;
  const written = await ifAllowed(read(path, notes));
  if (deployed === null && written === null) throw new UnreadableError({ kind: 'forbidden' });
  return known({ previewUrl: written?.find(({ body }) => body !== '')?.body ?? null });
}
