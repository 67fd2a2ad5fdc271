export type CodeHostSite = Readonly<{
  host: CodeHostName;
  /** May have a path (GitLab's relative URL root). */
  webUrl: string;
}>;

type CodeHostName = 'github' | 'gitlab' | 'bitbucket' | 'azure';

/** From an untrusted URL. */
export type PullRequestLink = Readonly<{
  host: CodeHostName;
  webUrl: string;
  /**
   * GitLab: with all groups. Azure DevOps: without `_git`; may have characters other than letters, digits,
   * `.`, `_`, `-`, `/`.
   */
  repository: string;
  number: number;
  /** `acme/docs#14`, or `group/docs!14`. */
  name: string;
  /** The shortest URL, lower case. */
  key: string;
}>;

export const PUBLIC_SITES: readonly CodeHostSite[] = [
  { host: 'github', webUrl: 'https://github.com' },
  { host: 'gitlab', webUrl: 'https://gitlab.com' },
  { host: 'bitbucket', webUrl: 'https://bitbucket.org' },
  { host: 'azure', webUrl: 'https://dev.azure.com' },
];

const ADDRESS_MAX_LENGTH = 3_000;

/** Also match a pull request's subpages. */
const SHAPES: Readonly<Record<CodeHostName, RegExp>> = {
  github:
    /^\/(?<repository>[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9_.-]{1,100})\/pull\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/,
  // `/-/` ends a project's path.
  gitlab:
    /^\/(?<repository>[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+)(?:\/-)?\/merge_requests\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/,
  bitbucket:
    /^\/(?<repository>[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100})\/pull-requests\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/,
  azure:
    /^\/(?<owner>[^/]{1,100})(?:\/(?<project>[^/]{1,100}))?\/_git\/(?<name>[^/]{1,100})\/pullrequest\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/i,
};

export function parsePullRequestLink(url: string, sites: readonly CodeHostSite[]): PullRequestLink | null {
  const address = plainAddress(url);
  if (address === null) return null;
  for (const { host, webUrl } of sites) {
    const site = new URL(webUrl);
    const root = site.pathname.replace(/(?<!\/)\/+$/, '');
    if (address.origin !== site.origin || !address.path.startsWith(`${root}/`)) continue;
    const path = address.path.slice(root.length);
    const groups = SHAPES[host].exec(host === 'azure' ? (decode(path) ?? path) : path)?.groups;
    if (groups) return linkAt(host, `${site.origin}${root}`, groups);
  }
  return null;
}

export function pullRequestKey(url: string, sites: readonly CodeHostSite[]): string {
  const address = url.length > ADDRESS_MAX_LENGTH ? null : URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return url;
  address.username = '';
  address.password = '';
  address.hash = '';
  address.hostname = address.hostname.replace(/^www\.|\.$/g, '');
  address.pathname = address.pathname.replace(UNRESERVED, decodeURIComponent).replace(/\/{2,}/g, '/');
  const { href } = address;
  const otherScheme = href.startsWith('https:') ? `http${href.slice(5)}` : `https${href.slice(4)}`;
  const link = parsePullRequestLink(href, sites) ?? parsePullRequestLink(otherScheme, sites);
  if (link !== null) return link.key;
  const page = NUMBERED_PAGE.exec(address.pathname)?.[0];
  if (page !== undefined) return `https://${address.host}${page}`.toLowerCase();
  return address.search === '' ? href.replace(/\/$/, '') : href;
}

const UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** At unknown hosts, such as Forgejo. */
const NUMBERED_PAGE = /^.{0,1000}?\/(?:pulls?|merge_requests|pull-?requests?)\/\d{1,16}(?=\/|$)/i;

const PAGES = { github: 'pull', gitlab: '-/merge_requests', bitbucket: 'pull-requests' } as const;

type Groups = Readonly<Record<string, string | undefined>>;

function linkAt(host: CodeHostName, webUrl: string, groups: Groups): PullRequestLink {
  const { repository: found = '', number } = groups;
  const { repository, page } =
    host === 'azure' ? placeAtAzure(groups) : { repository: found, page: `${found}/${PAGES[host]}` };
  const sign = host === 'gitlab' || host === 'azure' ? '!' : '#';
  const key = `${webUrl}/${encodeURI(page.toLowerCase())}/${number}`;
  return { host, webUrl, repository, number: Number(number), name: `${repository}${sign}${number}`, key };
}

/** URLs may omit a project named like its repository. */
function placeAtAzure({ owner, project, name = '' }: Groups) {
  const isCalledAlike = project === undefined || project.toLowerCase() === name.toLowerCase();
  return {
    repository: isCalledAlike ? `${owner}/${name}` : `${owner}/${project}/${name}`,
    page: `${owner}/${project ?? name}/_git/${name}/pullrequest`.normalize(),
  };
}

/** No user, blank, `\` or invisible character. */
const PLAIN_ADDRESS =
  /^(?<origin>https?:\/\/[A-Za-z0-9.:[\]_-]+)(?<path>\/[^?#\\\s\p{C}]*)(?:[?#][^\s\p{C}]*)?$/iu;
const OLD_AZURE_HOST = /^https:\/\/(?<owner>[a-z0-9-]{1,100})\.visualstudio\.com$/;

/** Null: ambiguous in browsers or servers. */
function plainAddress(url: string): { readonly origin: string; readonly path: string } | null {
  if (url.length > ADDRESS_MAX_LENGTH) return null;
  const { origin: written = '', path = '' } = PLAIN_ADDRESS.exec(url)?.groups ?? {};
  const origin = URL.parse(written)?.origin;
  if (origin === undefined || !path.replace(/\/$/, '').split('/').slice(1).every(isPlainSegment)) return null;
  const { owner } = OLD_AZURE_HOST.exec(origin)?.groups ?? {};
  if (owner === undefined) return { origin, path };
  return {
    origin: 'https://dev.azure.com',
    path: `/${owner}${path.replace(/^\/DefaultCollection\//i, '/')}`,
  };
}

function isPlainSegment(segment: string) {
  const decoded = decode(segment);
  return decoded !== null && decoded !== '' && !/^\.{1,2}$|[/\\%]|\p{C}/u.test(decoded);
}

function decode(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
