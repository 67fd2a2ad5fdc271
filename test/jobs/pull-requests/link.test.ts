import { describe, expect, test } from 'vitest';
import {
  type CodeHostSite,
  PUBLIC_SITES,
  parsePullRequestLink,
} from '../../../src/jobs/pull-requests/link.ts';
import { fc } from '../../support/properties.ts';

const parse = (url: string, sites: readonly CodeHostSite[] = PUBLIC_SITES) =>
  parsePullRequestLink(url, sites);

describe('a link of a code host', () => {
  test.each([
    ['https://github.com/acme/docs/pull/14', 'acme/docs#14'],
    ['https://github.com/Acme/Docs.js/pull/14', 'Acme/Docs.js#14'],
    ['https://gitlab.com/group/sub/docs/-/merge_requests/7', 'group/sub/docs!7'],
    ['https://bitbucket.org/acme/docs/pull-requests/7', 'acme/docs#7'],
    ['https://dev.azure.com/org/my%20project/_git/docs/pullrequest/7', 'org/my%20project/docs!7'],
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

  test('anything that a browser would take elsewhere', () => {
    const odd = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2f',
      '\\',
      '@',
      '//',
      '/',
      '\t',
      '?',
      '#',
      ':',
      'a',
      '。',
    );
    const text = fc.array(odd, { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const url = `https://${a}github.com${b}/acme/docs${c}/pull/14`;
        const link = parse(url);
        if (link === null) return;
        const { origin, pathname, username } = new URL(url);
        expect({ origin, username }).toEqual({ origin: 'https://github.com', username: '' });
        expect(`${pathname.toLowerCase()}/`).toContain(
          `/${link.repository}/pull/${link.number}/`.toLowerCase(),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
