/** Where the pull requests of a code host are read in a browser. */
export interface CodeHostSite {
  readonly host: CodeHostName;
  /** May have a path, as GitLab under a relative URL root has. */
  readonly webUrl: string;
}

export type CodeHostName = 'github' | 'gitlab' | 'bitbucket' | 'azure';

/** A pull request, as its address names it. Nothing else of the address is to be trusted, or needed. */
export interface PullRequestLink {
  readonly host: CodeHostName;
  /** The site that it fits, without a slash at the end. */
  readonly webUrl: string;
  /** `acme/docs`; at GitLab with all groups, at Azure DevOps without `_git`. Made of letters, digits, `.`, `_`, `-`, `/`. */
  readonly repository: string;
  readonly number: number;
  /** `acme/docs#14`, or `group/docs!14`, as the host calls it. */
  readonly name: string;
  /** The same for one pull request, however its address was written: the address in its shortest form, in lower case. */
  readonly key: string;
}

/** The sites whose links are shortened without any setting. */
export const PUBLIC_SITES: readonly CodeHostSite[] = [
  { host: 'github', webUrl: 'https://github.com' },
  { host: 'gitlab', webUrl: 'https://gitlab.com' },
  { host: 'bitbucket', webUrl: 'https://bitbucket.org' },
  { host: 'azure', webUrl: 'https://dev.azure.com' },
];

const OWNER = '[A-Za-z0-9][A-Za-z0-9_-]{0,99}';
const NAME = '[A-Za-z0-9_.-]{1,100}';
/** Neither starts with a dash: `/-/` ends the path of a project. */
const GROUP = '[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}';
const WORDS = '(?:[A-Za-z0-9_.-]|%20){1,100}';

/** How the path of a pull request is written at each host, and which sign its number has. */
const SHAPES: Readonly<Record<CodeHostName, { readonly page: RegExp; readonly sign: '#' | '!' }>> = {
  github: { page: shape(`/(?<repository>${OWNER}/${NAME})/pull`), sign: '#' },
  gitlab: { page: shape(`/(?<repository>${GROUP}(?:/${GROUP}){1,20})/-/merge_requests`), sign: '!' },
  bitbucket: { page: shape(`/(?<repository>${NAME}/${NAME})/pull-requests`), sign: '#' },
  azure: { page: shape(`/(?<repository>${WORDS}/${WORDS})/_git(?<rest>/${WORDS})/pullrequest`), sign: '!' },
};

/** Any page of the pull request leads to it: its files, its commits. */
function shape(before: string): RegExp {
  return new RegExp(`^(?<page>${before}/(?<number>[1-9][0-9]{0,15}))(?:/[A-Za-z0-9._~-]+)*/?$`);
}

/** Scheme, host and path of an address that needs no interpretation: without user, blanks, `\`, and escapes of a path. */
const PLAIN_ADDRESS =
  /^(?<origin>https?:\/\/[A-Za-z0-9.:[\]_-]+)(?<path>\/(?:[A-Za-z0-9._~/-]|%20)*)(?:[?#][\x21-\x7e]*)?$/;
/** `.`, `..`, and segments without a character: browsers and servers do not agree about them. */
const TRICKY_SEGMENT = /\/\.{1,2}(?:\/|$)|\/\//;

/** The pull request that an untrusted address leads to; null unless it is plainly one at one of these sites. */
export function parsePullRequestLink(url: string, sites: readonly CodeHostSite[]): PullRequestLink | null {
  const { origin = '', path = '' } = PLAIN_ADDRESS.exec(url)?.groups ?? {};
  if (origin === '' || TRICKY_SEGMENT.test(path)) return null;
  for (const { host, webUrl } of sites) {
    const site = new URL(webUrl);
    const root = site.pathname.replace(/\/+$/, '');
    if (URL.parse(origin)?.origin !== site.origin || !path.startsWith(`${root}/`)) continue;
    const { page: shapeOfPage, sign } = SHAPES[host];
    const { page, repository, rest = '', number } = shapeOfPage.exec(path.slice(root.length))?.groups ?? {};
    if (page === undefined || !Number.isSafeInteger(Number(number))) continue;
    return {
      host,
      webUrl: `${site.origin}${root}`,
      repository: `${repository}${rest}`,
      number: Number(number),
      name: `${repository}${rest}${sign}${number}`,
      key: `${site.origin}${root}${page.toLowerCase()}`,
    };
  }
  return null;
}
