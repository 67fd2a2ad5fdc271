import { describe, expect, test } from 'vitest';
import {
  type CodeHostSite,
  PUBLIC_SITES,
  parsePullRequestLink,
  pullRequestKey,
  pullRequestName,
} from '../../../src/jobs/pull-requests/link.ts';

const parse = (url: string, sites: readonly CodeHostSite[] = PUBLIC_SITES) =>
  parsePullRequestLink(url, sites);

describe('a link of a code host (W3)', () => {
  test.each([
    ['https://github.com/acme/docs/pull/14', 'acme/docs#14'],
    ['https://github.com/Acme/Docs.js/pull/14', 'Acme/Docs.js#14'],
    ['https://gitlab.com/group/sub/docs/-/merge_requests/7', 'group/sub/docs!7'],
    ['https://bitbucket.org/acme/docs/pull-requests/7', 'acme/docs#7'],
    ['https://dev.azure.com/org/my%20project/_git/docs/pullrequest/7', 'org/my project/docs!7'],
    ['https://dev.azure.com/org/_git/docs/pullrequest/7', 'org/docs!7'],
    ['https://dev.azure.com/org/Docs/_git/docs/pullRequest/7?_a=files', 'org/docs!7'],
    ['https://dev.azure.com/org/B%C3%BCro/_git/docs/pullrequest/7', 'org/Büro/docs!7'],
    ['https://dev.azure.com/org/Büro/_git/docs/pullrequest/7', 'org/Büro/docs!7'],
    ['https://org.visualstudio.com/project/_git/docs/pullrequest/7', 'org/project/docs!7'],
    ['https://org.visualstudio.com/_git/docs/pullrequest/7', 'org/docs!7'],
    ['https://org.visualstudio.com/DefaultCollection/project/_git/docs/pullrequest/7', 'org/project/docs!7'],
    ['https://org.visualstudio.com/DefaultCollection/_git/docs/pullrequest/7', 'org/docs!7'],
    ['https://bitbucket.org/acme/docs/pull-requests/7/a-title%20of%20it/diff', 'acme/docs#7'],
    ['https://gitlab.com/group/docs/merge_requests/7', 'group/docs!7'],
  ])('%s is called %s', (url, name) => expect(parse(url)?.name).toBe(name));

  test.each([
    'https://github.com/acme/docs/pull/14/',
    'https://github.com/acme/docs/pull/14/files',
    'https://github.com/acme/docs/pull/14/files/abc..def?w=1#diff-1',
    'https://github.com:443/ACME/docs/pull/14',
    'https://GitHub.com/acme/Docs/pull/14#issuecomment-1',
  ])('%s leads to the same pull request', (url) =>
    expect(parse(url)?.key).toBe('https://github.com/acme/docs/pull/14'),
  );

  test('is found under the path of a site', () => {
    const sites = [{ host: 'gitlab', webUrl: 'http://git.acme.example:8080/gitlab/' }] as const;
    expect(parse('http://git.acme.example:8080/gitlab/a/b/-/merge_requests/3', sites)).toEqual({
      host: 'gitlab',
      webUrl: 'http://git.acme.example:8080/gitlab',
      repository: 'a/b',
      number: 3,
      name: 'a/b!3',
      key: 'http://git.acme.example:8080/gitlab/a/b/-/merge_requests/3',
    });
    expect(parse('http://git.acme.example:8080/a/b/-/merge_requests/3', sites)).toBeNull();
    expect(parse('http://git.acme.example:8080/gitlabs/a/b/-/merge_requests/3', sites)).toBeNull();
  });
});

describe('a link of a server', () => {
  const sites: readonly CodeHostSite[] = [
    ...PUBLIC_SITES,
    { host: 'gitlab', webUrl: 'https://git.example.org:8443/code' },
    { host: 'github', webUrl: 'https://github.example.org' },
  ];
  test.each([
    ['https://git.example.org:8443/code/team/sub/docs/-/merge_requests/31', 'team/sub/docs!31'],
    [
      'https://git.example.org:8443/code/team/sub/docs/-/merge_requests/31/diffs?view=inline',
      'team/sub/docs!31',
    ],
    ['https://github.example.org/acme/docs/pull/14/files', 'acme/docs#14'],
  ])('that a setting names, %s, is called %s', (url, name) => expect(pullRequestName(url, sites)).toBe(name));

  test.each([
    [
      'https://tfs.example.org/tfs/DefaultCollection/Docs/_git/site/pullrequest/7',
      'tfs.example.org/DefaultCollection/Docs/site!7',
    ],
    ['https://tfs.example.org:8080/tfs/Docs/_git/site/pullrequest/7', 'tfs.example.org:8080/Docs/site!7'],
    ['https://tfs.example.org/Team%20A/Docs/_git/site/pullrequest/7', 'tfs.example.org/Team A/Docs/site!7'],
    ['https://git.example.org/projects/DOCS/repos/site/pull-requests/3', 'git.example.org/DOCS/site#3'],
    [
      'https://git.example.org/bitbucket/projects/DOCS/repos/site/pull-requests/3/overview',
      'git.example.org/DOCS/site#3',
    ],
    ['https://git.example.org/users/jane/repos/site/pull-requests/3', 'git.example.org/~jane/site#3'],
  ])('that no setting names, %s, is called %s, so that it cannot pass for another', (url, name) => {
    expect(pullRequestName(url, sites)).toBe(name);
    expect(parse(url, sites)).toBeNull();
  });
});

describe('one pull request has one key', () => {
  const spellings: Readonly<Record<string, readonly string[]>> = {
    'at GitHub': [
      'https://github.com/acme/docs/pull/14',
      'https://github.com/acme/docs/pull/14/',
      'https://github.com/Acme/Docs/pull/14/files?w=1#diff',
      'http://github.com/acme/docs/pull/14',
      'HTTPS://GitHub.com:443/acme/docs/pull/14/commits',
      'https://x-access-token:secret@github.com/acme/docs/pull/14',
    ],
    'at GitLab': [
      'https://gitlab.com/team/docs/-/merge_requests/3',
      'https://gitlab.com/Team/docs/-/merge_requests/3/diffs',
      'https://gitlab.com/team/docs/merge_requests/3?tab=x',
    ],
    'at Azure DevOps': [
      'https://dev.azure.com/org/_git/B%C3%BCro/pullrequest/7',
      'https://dev.azure.com/Org/B%c3%bcro/_git/b%C3%BCro/pullrequest/7?_a=files',
      'https://dev.azure.com/org/Büro/_git/Büro/pullRequest/7/',
      'https://org.visualstudio.com/DefaultCollection/_git/Bu%CC%88ro/pullrequest/7',
    ],
    'at a server of Azure DevOps': [
      'https://tfs.example.org/tfs/DefaultCollection/_git/docs/pullrequest/7',
      'https://TFS.example.org/tfs/defaultcollection/Docs/_git/docs/pullrequest/7?_a=files',
    ],
    'at a server of Bitbucket': [
      'https://git.example.org/users/jane/repos/site/pull-requests/3/diff#a.md',
      'https://git.example.org/projects/~JANE/repos/site/pull-requests/3/',
    ],
    'at an unknown place': [
      'https://git.example.org/changes/3',
      'https://git.example.org/changes/3/',
      'https://Git.example.org:443/a/../changes/3#top',
      'https://secret@git.example.org/changes/3',
    ],
  };
  test.each(Object.entries(spellings))('%s', (_where, urls) => {
    const keys = new Set(urls.map((url) => pullRequestKey(url, PUBLIC_SITES)));
    expect([...keys]).toHaveLength(1);
    expect(String([...keys])).not.toContain('secret');
  });

  test('and another has another', () => {
    const urls = [
      ...Object.values(spellings).map(([url = '']) => url),
      'https://github.com/acme/docs/pull/15',
      'https://github.com/acme/docs2/pull/14',
      'https://git.example.org/changes/?id=3',
      'https://git.example.org/changes/?id=4',
      'https://git.example.org/Changes/3',
      'not an address',
    ];
    expect(new Set(urls.map((url) => pullRequestKey(url, PUBLIC_SITES))).size).toBe(urls.length);
  });
});

describe('nobody looks at', () => {
  test.each([
    ['another host', 'https://example.com/acme/docs/pull/14'],
    ['a host that looks alike', 'https://github.com.example.com/acme/docs/pull/14'],
    ['a host within another', 'https://evil-github.com/acme/docs/pull/14'],
    ['a host of it', 'https://www.github.com/acme/docs/pull/14'],
    ['a host with a dot at its end', 'https://github.com./acme/docs/pull/14'],
    ['letters that turn into the host', 'https://github。com/acme/docs/pull/14'],
    ['Cyrillic letters', 'https://gіthub.com/acme/docs/pull/14'],
    ['credentials', 'https://token@github.com/acme/docs/pull/14'],
    ['the host as credentials', 'https://github.com@example.com/acme/docs/pull/14'],
    ['another port', 'https://github.com:8443/acme/docs/pull/14'],
    ['http instead of https', 'http://github.com/acme/docs/pull/14'],
    ['another scheme', 'ftp://github.com/acme/docs/pull/14'],
    ['two dots', 'https://github.com/acme/docs/../other/pull/14'],
    ['two dots as the repository', 'https://github.com/acme/../pull/14'],
    ['two dots behind the number', 'https://github.com/acme/docs/pull/14/../15'],
    ['escaped dots', 'https://github.com/acme/%2e%2e/pull/14'],
    ['an escaped slash', 'https://github.com/acme%2fdocs/pull/14'],
    ['a backslash', 'https://github.com\\acme/docs/pull/14'],
    ['an empty segment', 'https://github.com//acme/docs/pull/14'],
    ['a new line', 'https://github.com/acme/docs/pull/14\n'],
    ['a line in the middle', 'https://github.com/acme/do\ncs/pull/14'],
    ['no number', 'https://github.com/acme/docs/pull/new'],
    ['zero', 'https://github.com/acme/docs/pull/0'],
    ['a number with zeros before it', 'https://github.com/acme/docs/pull/014'],
    ['a number with a sign', 'https://github.com/acme/docs/pull/-1'],
    ['a number that no number can hold', 'https://github.com/acme/docs/pull/9007199254740993'],
    ['an issue', 'https://github.com/acme/docs/issues/14'],
    ['a project without a group', 'https://gitlab.com/docs/-/merge_requests/14'],
    ['the separator as a group', 'https://gitlab.com/a/-/b/-/merge_requests/14'],
    ['no link', 'see the pull request'],
  ])('%s', (_what, url) => expect(parse(url)).toBeNull());
});
