import { z } from 'zod';
import type { PullRequestFacts } from '../../jobs/pull-requests/pull-request.ts';
import { ifAllowed, UnreadableError } from '../client/unreadable.ts';
import { flag, id, known, listOf, NAME_MAX_LENGTH, publicAddress, text } from '../decode.ts';
import type { Read } from '../dialect.ts';
import { domainsOfBot, previewIn } from '../preview-hosts.ts';

const DEPLOYMENTS_MAX = 5;
const COMMENTS_PAGE = 100;
const COMMENT_PAGES_MAX = 2;

const deployments = listOf(z.object({ id, production_environment: flag }));
const statuses = listOf(z.object({ state: text(NAME_MAX_LENGTH), environment_url: publicAddress }));
const NOT_OF_DOCS_HOST = { user: null, body: '' } as const;
/** Of people and their words nothing is kept: only the address in a comment of a docs host. */
const comments = listOf(
  z
    .object({
      user: z.object({ login: z.string() }).nullable().catch(null),
      body: z.string().catch(''),
    })
    .transform(({ user, body }) => {
      const domains = user === null ? null : domainsOfBot(user.login);
      return domains === null ? NOT_OF_DOCS_HOST : { user, body: previewIn(body, domains) ?? '' };
    }),
);

/** Where the commit was deployed to, production aside; else what a docs host wrote under the pull request. */
export async function readPreview(
  read: Read,
  { number, commit }: { readonly number: number; readonly commit: string },
): Promise<PullRequestFacts> {
  const deployed = await ifAllowed(readDeployed(read, commit));
  if (typeof deployed?.address === 'string') return { previewUrl: deployed.address };
  const written = await ifAllowed(readWritten(read, number));
  if (deployed === null && written === null) throw new UnreadableError({ kind: 'forbidden' });
  return known({ previewUrl: written?.address ?? null });
}

interface Found {
  readonly address: string | null;
}

async function readDeployed(read: Read, commit: string): Promise<Found> {
  const found = await read(`/deployments?sha=${commit}&per_page=${DEPLOYMENTS_MAX}`, deployments);
  for (const deployment of found.filter((one) => !one.production_environment)) {
    const [newest] = await read(`/deployments/${deployment.id}/statuses?per_page=1`, statuses);
    if (newest?.state === 'success' && newest.environment_url !== null)
      return { address: newest.environment_url };
  }
  return { address: null };
}

async function readWritten(read: Read, number: number): Promise<Found> {
  for (let page = 1; page <= COMMENT_PAGES_MAX; page += 1) {
    const found = await read(`/issues/${number}/comments?per_page=${COMMENTS_PAGE}&page=${page}`, comments);
    const address = found.map(({ body }) => body).findLast((body) => body !== '');
    if (address !== undefined || found.length < COMMENTS_PAGE) return { address: address ?? null };
  }
  return { address: null };
}
