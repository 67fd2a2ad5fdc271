import { expect, test } from 'vitest';
import { lookingAsApp } from './hosts.ts';

test('an App sees the pull requests of the repositories where it is installed', async () => {
  await using at = await lookingAsApp(11);
  at.host.app?.install('acme');
  expect(await at.facts()).toMatchObject({ title: 'Add a quickstart', state: 'open' });
});

test('its token is made once for an hour, for all repositories of the installation', async () => {
  await using at = await lookingAsApp(12);
  const pulls = ['acme/docs', 'acme/docs', 'acme/handbook'].map((repository) => at.host.open({ repository }));
  at.host.app?.install('acme');
  for (const pull of [...pulls, ...pulls]) await at.facts(pull);
  const asked = at.host.requests.map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/')}`);
  expect(asked.filter((request) => request.startsWith('POST'))).toEqual([
    'POST app/installations/1200/access_tokens',
  ]);
  expect(asked.filter((request) => request.endsWith('/installation'))).toEqual([
    'GET repos/acme/docs/installation',
    'GET repos/acme/handbook/installation',
  ]);
});

test('a token that is revoked is replaced at the next look', async () => {
  await using at = await lookingAsApp(14);
  at.host.app?.install('acme');
  await at.facts();
  at.host.app?.revokeTokens();
  expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
  expect(await at.look()).toMatchObject({ outcome: 'seen' });
});

test('once it is uninstalled, it has no access', async () => {
  await using at = await lookingAsApp(15);
  at.host.app?.install('acme');
  await at.facts();
  at.host.app?.uninstall('acme');
  await at.look();
  expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'app_not_installed' });
});

test.each([
  ['is out of order', { status: 500 }],
  ['redirects to another host', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
  ['answers with a web page', 'html'],
  ['answers with something else', { status: 201, body: { token: 'a b' } }],
  ['hangs up', 'reset_before'],
] as const)('later, if the host %s when it is asked for a token', async (_what, fault) => {
  await using at = await lookingAsApp(16);
  at.host.app?.install('acme');
  at.host.failAt(/access_tokens/, fault);
  expect(await at.look()).toMatchObject({ outcome: 'later', waitMs: null });
  at.host.failAt(/access_tokens/, null);
  expect(await at.look()).toMatchObject({ outcome: 'seen' });
});

test('a key that is not of the App has no access', async () => {
  await using at = await lookingAsApp(17);
  at.host.failAt(/installation$/, { status: 401 });
  expect(await at.look()).toEqual({ outcome: 'no_access', reason: 'bad_credentials' });
});
