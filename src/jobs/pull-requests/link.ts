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

/** Without a setting; never called. */
const SERVER_SHAPES = {
  azure:
    /^(?<root>\/tfs)?\/(?<owner>[^/]{1,100})(?:\/(?<project>[^/]{1,100}))?\/_git\/(?<name>[^/]{1,100})\/pullrequest\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/i,
  bitbucket:
    /^(?<root>(?:\/[A-Za-z0-9_.-]+){0,2})\/(?<kind>projects|users)\/(?<owner>~?[A-Za-z0-9_.-]+)\/repos\/(?<name>[A-Za-z0-9_.-]+)\/pull-requests\/(?<number>[1-9][0-9]{0,14})(?=\/|$)/,
} as const;

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

/** Names a host without a setting. Null: unknown shape. */
export function pullRequestName(url: string, sites: readonly CodeHostSite[]): string | null {
  const atSite = parsePullRequestLink(url, sites);
  if (atSite !== null) return atSite.name;
  const atServer = parseServerLink(url);
  return atServer === null ? null : `${new URL(atServer.webUrl).host}/${atServer.name}`;
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
  const link =
    parsePullRequestLink(href, sites) ?? parsePullRequestLink(otherScheme, sites) ?? parseServerLink(href);
  if (link !== null) return link.key;
  const page = NUMBERED_PAGE.exec(address.pathname)?.[0];
  if (page !== undefined) return `https://${address.host}${page}`.toLowerCase();
  return address.search === '' ? href.replace(/\/$/, '') : href;
}

const UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** At unknown hosts, such as Forgejo. */
const NUMBERED_PAGE = /^.{0,1000}?\/(?:pulls?|merge_requests|pull-?requests?)\/\d{1,16}(?=\/|$)/i;

function parseServerLink(url: string): PullRequestLink | null {
  const address = plainAddress(url);
  if (address === null) return null;
  const { origin, path } = address;
  const { root: azureRoot = '', ...azure } = SERVER_SHAPES.azure.exec(decode(path) ?? path)?.groups ?? {};
  if ('number' in azure) return linkAt('azure', `${origin}${azureRoot}`.toLowerCase(), azure);
  const bitbucket = SERVER_SHAPES.bitbucket.exec(path)?.groups;
  if (!bitbucket) return null;
  const { root = '', kind, owner = '', name = '', number = '' } = bitbucket;
  const project = kind === 'users' ? `~${owner}` : owner;
  const page = `projects/${project}/repos/${name}/pull-requests`;
  return linkOf('bitbucket', `${origin}${root}`.toLowerCase(), `${project}/${name}`, page, number);
}

const PAGES = { github: 'pull', gitlab: '-/merge_requests', bitbucket: 'pull-requests' } as const;

function linkAt(
  host: CodeHostName,
  webUrl: string,
  { repository = '', owner = '', project, name = '', number = '' }: Record<string, string | undefined>,
) {
  if (host !== 'azure') return linkOf(host, webUrl, repository, `${repository}/${PAGES[host]}`, number);
  // URLs may omit a project named like its repository.
  const isCalledAlike = project === undefined || project.toLowerCase() === name.toLowerCase();
  const full = isCalledAlike ? `${owner}/${name}` : `${owner}/${project}/${name}`;
  const page = `${owner}/${project ?? name}/_git/${name}/pullrequest`.normalize();
  return linkOf(host, webUrl, full, page, number);
}

function linkOf(
  host: CodeHostName,
  webUrl: string,
  repository: string,
  page: string,
  number: string,
): PullRequestLink {
  const sign = host === 'gitlab' || host === 'azure' ? '!' : '#';
  const key = `${webUrl}/${encodeURI(page.toLowerCase())}/${number}`;
  return { host, webUrl, repository, number: Number(number), name: `${repository}${sign}${number}`, key };
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
