import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, problemsOf, variablesOf } from '../../support/settings.ts';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();
const ofApp = { GITHUB_APP_ID: '123456', GITHUB_APP_KEY: pem };

describe('code hosts', () => {
  test.each([
    ['https://github.com', undefined, 'https://api.github.com'],
    ['https://acme.ghe.com/', undefined, 'https://api.acme.ghe.com'],
    ['https://github.acme.example', undefined, 'https://github.acme.example/api/v3'],
    ['https://github.com', 'https://proxy.acme.example/github/', 'https://proxy.acme.example/github'],
  ])('%s with the API %s is asked at %s', (GITHUB_WEB_URL, GITHUB_API_URL, apiUrl) => {
    const { codeHosts } = parse({ GITHUB_TOKEN: 'a-token', GITHUB_WEB_URL, GITHUB_API_URL });
    const webUrl = GITHUB_WEB_URL.replace(/\/$/, '');
    const credentials = { kind: 'token', token: 'a-token' };
    expect(codeHosts).toEqual([{ host: 'github', webUrl, apiUrl, credentials }]);
  });

  test('are GitLab beside GitHub, also under a path', () => {
    const GITLAB_URL = 'https://acme.example/gitlab';
    const { codeHosts } = parse({ GITHUB_TOKEN: 'a-token', GITLAB_TOKEN: 'another', GITLAB_URL });
    const gitlab = { webUrl: GITLAB_URL, apiUrl: 'https://acme.example/gitlab/api/v4' };
    expect(codeHosts).toMatchObject([{ host: 'github' }, { host: 'gitlab', ...gitlab }]);
  });

  test.each([
    ['with its lines', pem],
    ['on one line', pem.replaceAll('\n', '\\n')],
  ])('know the key of an App %s, and do not show it', (_how, GITHUB_APP_KEY) => {
    const { codeHosts } = parse({ ...ofApp, GITHUB_APP_KEY });
    expect(codeHosts).toMatchObject([{ credentials: { kind: 'app', appId: '123456' } }]);
    expect(inspect(codeHosts, { depth: null })).not.toContain(pem.slice(60, 90));
  });

  test.each([
    ['a token and an App', { ...ofApp, GITHUB_TOKEN: 'a-token' }, 'GITHUB_TOKEN'],
    ['an App without its key', { GITHUB_APP_ID: '123456' }, 'GITHUB_APP_KEY'],
    ['a key without its App', { GITHUB_APP_KEY: pem }, 'GITHUB_APP_ID'],
    ['a key that is none', { ...ofApp, GITHUB_APP_KEY: 'a-key' }, 'GITHUB_APP_KEY'],
    [
      'a public address by http',
      { GITHUB_TOKEN: 'a', GITHUB_WEB_URL: 'http://git.acme.example' },
      'GITHUB_WEB_URL',
    ],
    ['an API by http', { GITHUB_TOKEN: 'a', GITHUB_API_URL: 'http://git.acme.example' }, 'GITHUB_API_URL'],
    ['an address with credentials', { GITLAB_URL: 'https://user@git.acme.example' }, 'GITLAB_URL'],
    ['an address that is none', { GITLAB_URL: 'git.acme.example' }, 'GITLAB_URL'],
    ['a token with a blank', { GITLAB_TOKEN: 'a b' }, 'GITLAB_TOKEN'],
  ])('%s is one problem', (_what, settings, variable) => {
    expect(variablesOf(problemsOf(settings))).toEqual([variable]);
  });
});
