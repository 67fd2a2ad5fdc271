import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../src/jobs/secrets.ts';
import { untrustedText, untrustedUrl } from '../../src/runtime/untrusted-text.ts';

const hush = 'Hush1hush2Hush3hush4';
const token = `ghp_${hush}`;

describe('a secret is taken out of a text', () => {
  test.each([
    ['a token of GitHub', token],
    ['each kind of it', `gho_${hush} ghu_${hush} ghs_${hush} ghr_${hush} github_pat_11A_${hush}`],
    ['tokens of GitLab', `glpat-${hush} gldt-${hush} glptt-${hush}`],
    ['tokens of Slack', `xoxb-1-${hush} xoxe.xoxp-1-${hush} xapp-1-${hush}`],
    ['keys of models', `sk-${hush} sk-proj-${hush} sk-ant-api03-${hush}`],
    ['a key of payments', `sk_live_${hush}`],
    ['a key of AWS', 'AKIAHUSH1HUSH2HUSH34'],
    ['a key of Google', `AIza${hush}${hush}`],
    ['a token of npm', `npm_${hush}`],
    ['a JWT', `eyJhbGciOiJIUzI1NiJ9.${hush}.${hush}`],
    ['a header', `Authorization: Bearer ${hush}`],
    ['a header with a password', `Authorization: Basic ${Buffer.from(`me:${hush}`).toString('base64')}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${hush}\n-----END RSA PRIVATE KEY-----`],
    ['the beginning of a private key', `-----BEGIN PRIVATE KEY-----\n${hush}`],
    ['an address', `https://me:${hush}@github.com/acme/docs`],
    ['an address without a password', `https://${hush}@github.com/acme/docs`],
    ['an address in capitals', `HTTPS://me:${hush}@github.com/acme/docs`],
    ['an address with a line end', `https://me:\n${hush}@github.com/acme/docs`],
    ['an address with backslashes', `https:\\\\me:${hush}@github.com/acme/docs`],
    ['an address without slashes', `https:me:${hush}@github.com/acme/docs`],
    ['an address with a slash in its password', `https://me:a/${hush}@github.com/acme/docs`],
    ['an address of git', `x-access-token:${hush}@github.com/acme/docs`],
    ['an address without a scheme', `me:${hush}@github.com/acme/docs and //me:${hush}@git.example:3000/a`],
    ['tokens of other services', `glsa_${hush} dckr_pat_${hush} gsk_${hush} SG.${hush}.${hush}`],
    ['other headers', `Authorization: token ${hush}\nPRIVATE-TOKEN: ${hush}\nX-Api-Key: ${hush}`],
    ['settings and options', `password: ${hush}\nGITHUB_TOKEN = '${hush}' --token ${hush}`],
    ['escaped JSON', JSON.stringify(JSON.stringify({ secretKey: hush }))],
    ['a block of PGP', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${hush}`],
    ['the address of a webhook', `hooks.slack.com/services/T00/B00/${hush}`],
    ['a parameter', `https://git.example/a?token=${hush}`],
    ['other parameters', `/a?x=1&access_token=${hush}&private_token=${hush}#id_token=${hush}`],
    ['a parameter with another name', `/a?api_key=${hush}&X-Amz-Signature=${hush}&sig=${hush}`],
    ['a setting', `GITHUB_TOKEN=${hush}`],
    ['JSON', `{"access_token": "${hush}"}`],
    ['an encoded address', encodeURIComponent(`https://me:${hush}@github.com/acme/docs`)],
    ['one that is encoded twice', `/a?to=${encodeURIComponent(encodeURIComponent(`?token=${hush}`))}`],
    ['an encoded sign of a token', `ghp%5F${hush}`],
    ['an encoded name', `https://git.example/a?private%5Ftoken=${hush}`],
    ['invisible characters', `gh\u200bp\u0001_${hush}`],
    ['a text too long to be searched', `${'x'.repeat(19_990)}://me:${hush}@github.com`],
  ])('%s', (_name, secret) => {
    for (const text of [secret, `see (${secret}) here`, `a: ${secret}`, `a\n${secret}`]) {
      expect(withoutSecrets(text).toLowerCase()).not.toMatch(/hush\d/);
    }
  });

  test.each(['AKIAHUSH1HUSH2HUSH34', `AIza${hush}${hush}`, `ATATT3x${hush}`])(
    '%s after a capital',
    (secret) => {
      expect(withoutSecrets(`KEY${secret}`).toLowerCase()).not.toMatch(/hush\d/);
    },
  );

  test.each([
    'Basic authentication and Bearer tokens',
    'Bearer token-based access, Basic TypeScript',
    'Explain `access_token=` and ?token',
    'docs/sk-translation-of-the-quickstart',
    'Ask the risk-management-and-compliance-team',
    'see https://docs.example:3000/a/@scope/pkg?page=2#top, or me@example.com',
    'git@github.com:acme/docs.git',
    'https://github.com/acme/docs/pull/14',
    'https://dev.azure.com/a%20b/c/_git/d/pullrequest/7',
    '100% of “äöü” 👩‍💻 می‌خواهم',
    'tokens: 20,000 per minute',
    'Mail mailto:docs2team@example.com, npm:react-docs2@18.example.org, or docs:latest1@sha256:0a1b2c3d4e5f',
    'See r8-migration-guide-2024 and gsk.documentation-2024.example',
    'docs(token): oauth2-device-flow, api-key: v2-key-rotation, secret: k8s-secrets.md',
    'Token: oauth2-device-flow, api-key: v2-key-rotation; secret: k8s-secrets.md',
    'Token: see authentication.md, password: optional, Authorization: token based',
  ])('%s has none', (text) => expect(withoutSecrets(text)).toBe(text));
});

describe('an address of the agent', () => {
  const link = 'https://github.com/acme/docs/pull/14';
  test.each([
    ['with a token in front', `https://x-access-token:${token}@github.com/acme/docs/pull/14`, link],
    ['with a name in front', 'https://alice@github.com/acme/docs/pull/14', link],
    ['in capitals', `HTTPS://me:${hush}@GitHub.com/acme/docs/pull/14`, link],
    ['with a line end', `https://me:${hush}\n@github.com/acme/docs/pull/14`, link],
    ['with a token in its query', `${link}?private_token=${hush}`, link],
    ['with a token behind it', `${link}#access_token=${hush}`, link],
    ['as it is', `${link}?tab=files#discussion_r1`, `${link}?tab=files#discussion_r1`],
    ['with a trailing slash', `${link}/`, `${link}/`],
  ])('%s leads to the same place', (_name, given, address) => {
    expect(untrustedUrl(given, 4_000)).toBe(address);
  });

  test('with a secret in its path is a text without it', () => {
    expect(untrustedUrl(`https://github.com/${token}/docs`, 4_000)).toBe(
      'https://github.com/ghp-[redacted]/docs',
    );
  });

  test('that is none is a text like any other', () => {
    expect(untrustedUrl(`git:${token}`, 4_000)).toBe('git:ghp-[redacted]');
    expect(untrustedText(` me\0:${token} `, 6)).toBe('me:ghp');
  });
});
