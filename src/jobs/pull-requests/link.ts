export type CodeHostSite = Readonly<{
  host: CodeHostName;
  /** May have a path, as GitLab under a relative URL root has. */
  webUrl: string;
}>;

export type CodeHostName = 'github' | 'gitlab' | 'bitbucket' | 'azure';

/** A pull request, identified by its URL. Nothing else of the URL is trusted or needed. */
export type PullRequestLink = Readonly<{
  host: CodeHostName;
  /** The matching site, without a trailing slash. */
  webUrl: string;
  /**
   * `acme/docs`; at GitLab with all groups, at Azure DevOps without `_git`. Otherwise of letters, digits,
   * `.`, `_`, `-`, `/`.
   */
  repository: string;
  number: number;
  /** `acme/docs#14`, or `group/docs!14`, as the host calls it. */
  name: string;
  /** The same for any URL of one pull request: its shortest URL, in lower case. */
  key: string;
}>;

/** The sites whose links are shortened without any setting. */
export const PUBLIC_SITES: readonly CodeHostSite[] = [
  { host: 'github', webUrl: 'https://github.com' },
  { host: 'gitlab', webUrl: 'https://gitlab.com' },
  { host: 'bitbucket', webUrl: 'https://bitbucket.org' },
  { host: 'azure', webUrl: 'https://dev.azure.com' },
];

const ADDRESS_MAX_LENGTH = 3_000;

/** How a pull request's path begins at each host; any of its pages, such as files or commits, leads to it. */
const SHAPES: Readonly<Record<CodeHostName, RegExp>> = {
  github:
    /^\/(?<repository>[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9_.-]{1,100})\/pull\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/,
  // No group starts with a dash: `/-/` ends the path of a project.
  gitlab:
    /^\/(?<repository>[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+)(?:\/-)?\/merge_requests\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/,
  bitbucket:
    /^\/(?<repository>[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100})\/pull-requests\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/,
  azure:
    /^\/(?<owner>[^/]{1,100})(?:\/(?<project>[^/]{1,100}))?\/_git\/(?<name>[^/]{1,100})\/pullrequest\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/i,
};

/** For servers that no setting names: no other page has such a path. */
const SERVER_SHAPES = {
  azure:
    /^(?<root>\/tfs)?\/(?<owner>[^/]{1,100})(?:\/(?<project>[^/]{1,100}))?\/_git\/(?<name>[^/]{1,100})\/pullrequest\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/i,
  bitbucket:
    /^(?<root>(?:\/[A-Za-z0-9_.-]+){0,2})\/(?<kind>projects|users)\/(?<owner>~?[A-Za-z0-9_.-]+)\/repos\/(?<name>[A-Za-z0-9_.-]+)\/pull-requests\/(?<number>[1-9][0-9]{0,15})(?=\/|$)/,
} as const;

/** The pull request of an untrusted URL; null unless it is plainly one at one of these sites. */
export function parsePullRequestLink(url: string, sites: readonly CodeHostSite[]): PullRequestLink | null {
  const address = plainAddress(url);
  if (address === null) return null;
  for (const { host, webUrl } of sites) {
    const site = new URL(webUrl);
    const root = site.pathname.replace(/(?<!\/)\/+$/, '');
    if (address.origin !== site.origin || !address.path.startsWith(`${root}/`)) continue;
    const path = address.path.slice(root.length);
    const groups = SHAPES[host].exec(host === 'azure' ? (decode(path) ?? path) : path)?.groups;
    const link = groups && linkOf(host, `${site.origin}${root}`, groups);
    if (link) return link;
  }
  return null;
}

/** `acme/docs#14`; with the host where no setting names it; null: it has no known shape. */
export function pullRequestName(url: string, sites: readonly CodeHostSite[]): string | null {
  const atSite = parsePullRequestLink(url, sites);
  if (atSite !== null) return atSite.name;
  const atServer = parseServerLink(url);
  return atServer === null ? null : `${new URL(atServer.webUrl).host}/${atServer.name}`;
}

/** The same text for all URLs of one pull request; for an unknown page, its normalized URL. */
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

/** Letters, digits and signs that a URL may escape or not. */
const UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** A pull request's page at an unknown host, such as Forgejo, without its files or commits. */
const NUMBERED_PAGE = /^.{0,1000}?\/(?:pulls?|merge_requests|pull-?requests?)\/\d{1,16}(?=\/|$)/i;

/** `https://example.org/B%C3%BCro` as people read it. */
export function readableAddress({ host, pathname }: URL): string {
  return `${host}${pathname.replace(/(?:%[89a-f][0-9a-f])+/gi, decodeLetters)}`;
}

/** A pull request on a server of Azure DevOps or Bitbucket, which is never called. */
function parseServerLink(url: string): PullRequestLink | null {
  const address = plainAddress(url);
  if (address === null) return null;
  const azure = SERVER_SHAPES.azure.exec(decode(address.path) ?? address.path)?.groups;
  if (azure) {
    const { root = '', ...groups } = azure;
    return linkOf('azure', `${address.origin}${root.toLowerCase()}`, groups);
  }
  const bitbucket = SERVER_SHAPES.bitbucket.exec(address.path)?.groups;
  if (!bitbucket) return null;
  const { root = '', kind, owner = '', name = '', number = '' } = bitbucket;
  const webUrl = `${address.origin}${root}`;
  const project = kind === 'users' ? `~${owner}` : owner;
  const key = `${webUrl}/projects/${project}/repos/${name}/pull-requests/${number}`.toLowerCase();
  return numbered({ host: 'bitbucket', webUrl, repository: `${project}/${name}`, key }, number, '#');
}

/** Of pull requests, and the sign before their numbers. */
const PAGES = {
  github: ['pull', '#'],
  gitlab: ['-/merge_requests', '!'],
  bitbucket: ['pull-requests', '#'],
} as const;

function linkOf(
  host: CodeHostName,
  webUrl: string,
  { repository = '', owner = '', project, name = '', number = '' }: Record<string, string | undefined>,
): PullRequestLink | null {
  const keyOf = (path: string) => `${webUrl}/${`${path}/${number}`.toLowerCase()}`;
  if (host !== 'azure') {
    const [page, sign] = PAGES[host];
    return numbered({ host, webUrl, repository, key: keyOf(`${repository}/${page}`) }, number, sign);
  }
  // The URL of a repository named like its project may leave out the project.
  const isCalledAlike = project === undefined || project.toLowerCase() === name.toLowerCase();
  const path = `${owner}/${project ?? name}/_git/${name}/pullrequest`.normalize();
  const full = isCalledAlike ? `${owner}/${name}` : `${owner}/${project}/${name}`;
  return numbered({ host, webUrl, repository: full, key: encodeURI(keyOf(path)) }, number, '!');
}

function numbered(
  link: Pick<PullRequestLink, 'host' | 'webUrl' | 'repository' | 'key'>,
  digits: string,
  sign: '#' | '!',
): PullRequestLink | null {
  const number = Number(digits);
  return Number.isSafeInteger(number)
    ? { ...link, number, name: `${link.repository}${sign}${number}` }
    : null;
}

/** Without user, blanks, `\` and invisible characters. */
const PLAIN_ADDRESS =
  /^(?<origin>https?:\/\/[A-Za-z0-9.:[\]_-]+)(?<path>\/[^?#\\\s\p{C}]*)(?:[?#][^\s\p{C}]*)?$/iu;
const OLD_AZURE_HOST = /^https:\/\/(?<owner>[a-z0-9-]{1,100})\.visualstudio\.com$/;

/** Origin and path of an unambiguous URL; null: browsers and servers may read it differently. */
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

function isPlainSegment(segment: string): boolean {
  const decoded = decode(segment);
  return decoded !== null && decoded !== '' && !/^\.{1,2}$|[/\\%]|\p{C}/u.test(decoded);
}

/** Null: its escapes make no text. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Decodes only what is plainly read. */
function decodeLetters(escaped: string): string {
  const decoded = decode(escaped);
  return decoded !== null && /^[\p{L}\p{M}\p{N}]+$/u.test(decoded) ? decoded : escaped;
}
