import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { scopesFinding } from '../../../src/doctor/slack.ts';
import { codeHostFindings } from '../../../src/features/pull-requests/doctor.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import type { CodeHost } from '../../support/code-host/code-host.ts';
import { startCodeHost } from '../../support/code-host/code-host.ts';
import { noFiles, required } from '../../support/settings.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const GITHUB_APP_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const all = ['pull_requests', 'checks', 'statuses', 'deployments', 'issues'];

interface Asked {
  readonly host: CodeHost;
  findings(
    settings: Record<string, string>,
    pullRequests?: readonly string[],
  ): ReturnType<typeof codeHostFindings>;
}

async function asked(permissions: readonly string[] = all): Promise<Asked & AsyncDisposable> {
  const app = {
    id: 7,
    publicKey,
    permissions: Object.fromEntries(permissions.map((name) => [name, 'read'] as const)),
  };
  const host = await startCodeHost({ token: 'a-token', clock: systemClock, app });
  return {
    host,
    findings: (settings, pullRequests = []) => {
      const config = parseConfig({ ...required, ...settings }, noFiles);
      return codeHostFindings({ config, tools: { clock: systemClock, timeoutMs: 5_000 } }, { pullRequests });
    },
    [Symbol.asyncDispose]: host.close,
  };
}

const withToken = ({ host }: Asked) => ({ GITHUB_TOKEN: 'a-token', GITHUB_WEB_URL: host.webUrl });
const withApp = ({ host }: Asked) => ({ GITHUB_APP_ID: '7', GITHUB_APP_KEY, GITHUB_WEB_URL: host.webUrl });

test('a token that is accepted', async () => {
  await using at = await asked();
  const [github, gitlab] = await at.findings({
    ...withToken(at),
    GITLAB_TOKEN: 'a-token',
    GITLAB_URL: at.host.webUrl,
  });
  expect(github).toMatchObject({
    subject: 'github',
    level: 'ok',
    found: `${at.host.githubApiUrl} accepts the token`,
  });
  expect(gitlab).toMatchObject({ subject: 'gitlab', level: 'ok' });
});

test('a token that is not accepted', async () => {
  await using at = await asked();
  at.host.expire();
  expect(await at.findings(withToken(at))).toMatchObject([
    { level: 'warning', found: `${at.host.githubApiUrl} does not accept GITHUB_TOKEN` },
  ]);
});

test.each([
  ['hangs up', 'reset_before', 'unreachable'],
  ['is out of order', { status: 503 }, 'status_503'],
  ['is somebody else', 'html', 'bad_answer'],
] as const)('a host that %s', async (_what, fault, reason) => {
  await using at = await asked();
  at.host.failAt(/./, fault);
  expect(await at.findings(withToken(at))).toMatchObject([
    { level: 'warning', found: `${at.host.githubApiUrl} does not answer (${reason})` },
  ]);
});

test('what is missing to read the last pull request of a repository, and what that loses', async () => {
  await using at = await asked();
  const pulls = ['acme/docs', 'acme/docs', 'acme/handbook'].map((repository) => at.host.open({ repository }));
  const links = pulls.map((pull) => at.host.githubLink(pull));
  const repositories = async () => (await at.findings(withToken(at), links)).slice(1);
  expect(await repositories()).toMatchObject([
    { subject: 'acme/docs', level: 'ok', found: 'acme/docs#1 can be read' },
    { subject: 'acme/handbook', level: 'ok', found: 'acme/handbook#1 can be read' },
  ]);
  for (const permission of ['Checks', 'Actions', 'Commit statuses']) at.host.withhold(permission);
  const [docs] = await repositories();
  expect(docs).toMatchObject({
    level: 'warning',
    found:
      'acme/docs#1 can be read, but its checks are never shown as passing (without the permission Checks or Actions, Commit statuses)',
  });
  for (const pull of pulls) pull.isHidden = true;
  expect(await repositories()).toMatchObject([{ found: 'acme/docs#1 cannot be seen' }, { level: 'warning' }]);
});

test.each([
  ['named nowhere', 'admins: [U0123456789]', true],
  ['named in the file', 'people: { octocat: U0123456789 }', false],
  ['not to be mentioned', 'people: {}', false],
])('the scope for e-mail addresses is missed where reviewers are %s (A4)', (_what, file, isMissed) => {
  const granted = new Set(botScopes.map(({ name }) => name));
  const found = (settings: Record<string, string>) => {
    const config = parseConfig({ ...required, ...settings, DOCS_AGENT_CONFIG: 'a.yml' }, () => file);
    return scopesFinding(null, granted, [config], config);
  };
  expect(found({})).toMatchObject({ level: 'ok' });
  const missed = { level: 'warning', found: expect.stringContaining('users:read.email (reviewers of') };
  expect(found({ GITHUB_TOKEN: 'a-token' })).toMatchObject(isMissed ? missed : { level: 'ok' });
  granted.add('users:read.email');
  expect(found({ GITHUB_TOKEN: 'a-token' })).toMatchObject({ level: 'ok' });
});

test('an App: where it is installed, and which permission is missing', async () => {
  await using at = await asked(all.filter((name) => name !== 'checks'));
  at.host.open({ repository: 'acme/docs' });
  at.host.open({ repository: 'acme/handbook' });
  expect(await at.findings(withApp(at))).toMatchObject([
    { level: 'warning', found: expect.stringContaining('App docs-agent, which is not installed anywhere') },
  ]);
  at.host.app?.install('acme');
  expect(await at.findings(withApp(at))).toMatchObject([
    {
      level: 'warning',
      found: expect.stringMatching(
        /installed by acme on 2 repositories \(acme\/docs, acme\/handbook\), without the permission Checks \(no checks are shown, and nobody hears that one fails\)$/,
      ),
    },
  ]);
});
