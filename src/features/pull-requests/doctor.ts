import { z } from 'zod';
import {
  type Authorization,
  type CodeHost,
  CodeHostError,
  type CodeHostSettings,
  connect,
  decodeBody,
  type HostResponse,
} from '#codehost/client.ts';
import { type Finding, type Findings, findingsOf, type Given, SILENT } from '#doctor/finding.ts';
import type { PullRequestLink } from '#jobs/pull-requests/link.ts';
import type { Feature } from '../feature.ts';
import { type CheckResult, createCodeHosts, DIALECTS } from './code-hosts.ts';
import { id, listOf, READINGS, shortText } from './dialect.ts';
import { account } from './github.ts';

const EXPIRES_SOON_MS = 14 * 86_400_000;
const REPOSITORIES_MAX = 5;
const NAMES_MAX = 5;
const SEE = 'See docs/operations/code-hosts.md.';
const ANNOUNCED = 'Pull requests are announced, but not followed until then.';

/** GitHub's name in the API and on the page, and the loss without it. */
const APP_NEEDS = [
  ['pull_requests', 'Pull requests', 'nothing can be read'],
  ['checks', 'Checks', 'no checks are shown'],
  ['statuses', 'Commit statuses', 'checks are never shown as passing'],
  ['deployments', 'Deployments', 'deployments are not shown as previews'],
  ['issues', 'Issues', 'who closed it is not shown'],
] as const;

const LOST = {
  size: 'the changed lines may not be read',
  checks: 'its checks are never shown as passing',
  review: 'the review may not be read',
  preview: 'the preview may not be read',
};

export const codeHostFindings: NonNullable<Feature['check']> = async (
  { config: { codeHosts }, tools },
  stored,
) => {
  const ofCredentials = codeHosts.map((settings) => credentialFindings(settings, tools));
  const hosts = createCodeHosts(codeHosts, { ...tools, log: SILENT });
  try {
    const links = (stored?.pullRequests ?? []).flatMap((key) => hosts.find(key) ?? []);
    const byRepository = Map.groupBy(links, ({ webUrl, repository }) => `${webUrl}/${repository}`);
    const newest = [...byRepository.values()].flatMap(([link]) => link ?? []).slice(0, REPOSITORIES_MAX);
    const ofRepositories = newest.map(async (link) => repositoryFinding(link, await hosts.check(link, null)));
    return [...(await Promise.all(ofCredentials)).flat(), ...(await Promise.all(ofRepositories))];
  } finally {
    await hosts.close();
  }
};

async function credentialFindings(settings: CodeHostSettings, { clock, timeoutMs }: Given<unknown>['tools']) {
  const { host, apiUrl } = settings;
  const findings = findingsOf('code_host', host);
  const { app, client, credentials } = connect(settings, clock, timeoutMs);
  try {
    return await clock.abortAfter(timeoutMs, async (signal) => {
      const get = async (base: string, authorization: Authorization) =>
        client.get({ base, authorization, signal });
      if (app !== null) return appFindings(findings, apiUrl, app, get);
      const { tokenPath, tokenEndsAtMs } = DIALECTS[host];
      const endsAtMs = tokenEndsAtMs(await get(tokenPath, await credentials.authorize('', signal)));
      const accepted = `${apiUrl} accepts the token`;
      if (endsAtMs === null) return [findings.ok(accepted)];
      const found = `${accepted}, until ${new Date(endsAtMs).toISOString().slice(0, 10)}`;
      return endsAtMs - clock.now() < EXPIRES_SOON_MS
        ? [findings.warning(found, `Replace it before then. ${SEE}`)]
        : [findings.ok(found)];
    });
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    const setting = app === null ? `${host.toUpperCase()}_TOKEN` : 'GITHUB_APP_ID and GITHUB_APP_KEY';
    const [found, next] =
      error.failure.kind === 'bad_credentials'
        ? [`does not accept ${setting}`, `Make new credentials. ${SEE}`]
        : [`does not answer (${error.message})`, 'Check its address, and that this machine can reach it.'];
    return [findings.warning(`${apiUrl} ${found}`, `${next} ${ANNOUNCED}`)];
  } finally {
    void client.close();
  }
}

const INSTALLATIONS_MAX = 10;

const installations = listOf(
  z.object({
    ...{ id, account },
    permissions: z.record(z.string(), z.unknown()).catch({}),
    suspended_at: shortText,
  }),
);
const repositories = z.object({
  total_count: z.int().catch(0),
  repositories: listOf(z.object({ full_name: z.string() })),
});

async function appFindings(
  findings: Findings,
  apiUrl: string,
  app: NonNullable<CodeHost['app']>,
  get: (base: string, authorization: Authorization) => Promise<HostResponse>,
): Promise<Finding[]> {
  const asApp = await app.asApp();
  const { name } = decodeBody(await get('/app', asApp), z.object({ name: shortText }));
  const path = `/app/installations?per_page=${INSTALLATIONS_MAX}`;
  const installed = decodeBody(await get(path, asApp), installations);
  const accepted = `${apiUrl} accepts the App ${name ?? ''}`.trimEnd();
  if (installed.length === 0) {
    const found = `${accepted}, which is not installed anywhere`;
    return [findings.warning(found, `Install it. ${SEE} ${ANNOUNCED}`)];
  }
  const found = installed.map(async (installation) => {
    const owner = installation.account?.login ?? 'an account without a name';
    if (installation.suspended_at !== null) {
      return findings.warning(`${accepted}, suspended by ${owner}`, `Ask its owners. ${ANNOUNCED}`);
    }
    const authorization = await app.asInstallation(installation.id);
    const seen = decodeBody(
      await get('/installation/repositories?per_page=100', authorization),
      repositories,
    );
    const { repositories: some, total_count: count } = seen;
    const names = some.slice(0, NAMES_MAX).map(({ full_name: fullName }) => fullName);
    const more = count > NAMES_MAX ? ` and ${count - NAMES_MAX} more` : '';
    const named = count === 0 ? '' : ` (${names.join(', ')}${more})`;
    const on = `${count} ${count === 1 ? 'repository' : 'repositories'}${named}`;
    const lost = APP_NEEDS.filter(([permission]) => !(permission in installation.permissions));
    const installedOn = `${accepted}, installed by ${owner} on ${on}`;
    if (lost.length === 0) return findings.ok(installedOn);
    const missing = lost.map(([, title, consequence]) => `${title} (${consequence})`).join('; ');
    return findings.warning(
      `${installedOn}, without the permission ${missing}`,
      `Add it to the App (read-only), and have ${owner} accept it. ${SEE}`,
    );
  });
  return Promise.all(found);
}

function repositoryFinding({ name, repository }: PullRequestLink, result: CheckResult) {
  const { ok, warning } = findingsOf('pull_requests', repository);
  switch (result.outcome) {
    case 'seen': {
      const missing = READINGS.flatMap((reading) => {
        const lacks = result.memory.readings[reading]?.lacks ?? [];
        return lacks.length === 0 ? [] : `${LOST[reading]} (without the permission ${lacks.join(', ')})`;
      });
      const found = `${name} can be read`;
      return missing.length === 0
        ? ok(found)
        : warning(`${found}, but ${missing.join('; ')}`, `Grant it if you want that. ${SEE}`);
    }
    case 'not_found': {
      const next = 'If it is still there, give the token or the App access to the repository.';
      return warning(`${name} cannot be seen`, `${next} ${SEE}`);
    }
    case 'no_access':
      return warning(`${name} may not be read (${result.reason})`, `Give access. ${SEE} ${ANNOUNCED}`);
    case 'later':
      return warning(`${name}: the code host does not answer, or is at its rate limit`, 'Run doctor later.');
  }
}
