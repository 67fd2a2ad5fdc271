import { z } from 'zod';
import {
  type Authorization,
  type CodeHost,
  CodeHostError,
  decodeBody,
  type GithubApp,
  type HostResponse,
} from '#codehost/client.ts';
import { type Finding, type Findings, findingsOf } from '#doctor/finding.ts';
import { type PullRequestLink, parsePullRequestLink } from '#jobs/pull-requests/link.ts';
import { SILENT } from '#runtime/redact.ts';
import type { Feature } from '../feature.ts';
import { type CheckResult, createCodeHosts, DIALECTS, hasBadCredentials } from './code-hosts.ts';
import { id, listOf, READINGS, shortText } from './dialect.ts';
import { account } from './github.ts';

const REPOSITORIES_MAX = 5;
const NAMES_MAX = 5;
const SEE = 'See docs/operations/code-hosts.md.';
const ANNOUNCED = 'Pull requests are announced, but not followed until then.';

/** GitHub's name in the API and on the page, and the loss without it. */
const APP_NEEDS = [
  ['pull_requests', 'Pull requests', 'nothing can be read'],
  ['checks', 'Checks', 'no checks are shown, and nobody hears that one fails'],
  ['statuses', 'Commit statuses', 'checks are never shown as passing'],
  ['deployments', 'Deployments', 'deployments are not shown as previews'],
  ['issues', 'Issues', 'who closed it is not shown'],
] as const;

const LOST = {
  size: 'the changed lines may not be read',
  pages: 'the changed pages may not be read',
  checks: 'its checks are never shown as passing',
  review: 'reviews are neither shown nor sent to the agent',
  preview: 'the preview may not be read',
};

export const codeHostFindings: NonNullable<Feature['check']> = async (
  { config: { codeHosts: settings }, tools },
  stored,
) => {
  const codeHosts = createCodeHosts(settings, { ...tools, log: SILENT });
  try {
    const ofCredentials = codeHosts.hosts.map((host) => credentialFindings(host, tools.timeoutMs));
    const links = (stored?.pullRequests ?? []).flatMap((key) => parsePullRequestLink(key, settings) ?? []);
    const byRepository = Map.groupBy(links, ({ webUrl, repository }) => `${webUrl}/${repository}`);
    const newest = [...byRepository.values()].flatMap(([link]) => link ?? []).slice(0, REPOSITORIES_MAX);
    const ofRepositories = newest.map(async (link) =>
      repositoryFinding(link, await codeHosts.check(link.key, null)),
    );
    return [...(await Promise.all(ofCredentials)).flat(), ...(await Promise.all(ofRepositories))];
  } finally {
    await codeHosts.close();
  }
};

type Ask = (base: string, authorization: Authorization) => Promise<HostResponse>;

async function credentialFindings(codeHost: CodeHost, timeoutMs: number) {
  const { settings, client, credentials, clock } = codeHost;
  const app = 'asApp' in credentials ? credentials : null;
  const { host, apiUrl } = settings;
  const findings = findingsOf('code_host', host);
  try {
    return await clock.abortAfter(timeoutMs, async (signal) => {
      const ask: Ask = (base, authorization) => client.ask({ base, authorization, signal });
      if (app !== null) return appFindings(findings, apiUrl, app, ask, signal);
      await ask(DIALECTS[host].tokenPath, await credentials.authorize('', signal));
      return [findings.ok(`${apiUrl} accepts the token`)];
    });
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    const setting = app === null ? `${host.toUpperCase()}_TOKEN` : 'GITHUB_APP_ID and GITHUB_APP_KEY';
    const [found, next] = hasBadCredentials(error.failure)
      ? [`does not accept ${setting}`, `Make new credentials. ${SEE}`]
      : [`does not answer (${error.message})`, 'Check its address, and that this machine can reach it.'];
    return [findings.warning(`${apiUrl} ${found}`, `${next} ${ANNOUNCED}`)];
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
  app: GithubApp,
  ask: Ask,
  signal: AbortSignal,
): Promise<Finding[]> {
  const asApp = await app.asApp();
  const { name } = decodeBody(await ask('/app', asApp), z.object({ name: shortText }));
  const path = `/app/installations?per_page=${INSTALLATIONS_MAX}`;
  const installed = decodeBody(await ask(path, asApp), installations);
  const accepted = `${apiUrl} accepts the App ${name ?? ''}`.trimEnd();
  if (installed.length === 0) {
    const found = `${accepted}, which is not installed anywhere`;
    return [findings.warning(found, `Install it. ${SEE} ${ANNOUNCED}`)];
  }
  const found = installed.map(async (installation) => {
    const owner = installation.account ?? 'an account without a name';
    if (installation.suspended_at !== null) {
      return findings.warning(`${accepted}, suspended by ${owner}`, `Ask its owners. ${ANNOUNCED}`);
    }
    const authorization = await app.asInstallation(installation.id, signal);
    const answer = await ask('/installation/repositories?per_page=100', authorization);
    const { repositories: some, total_count: count } = decodeBody(answer, repositories);
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
