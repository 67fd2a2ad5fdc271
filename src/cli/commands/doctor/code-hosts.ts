import { type CodeHostSettings, createCodeHosts } from '../../../codehost/create-code-hosts.ts';
import { type Look, READINGS } from '../../../codehost/look.ts';
import { type HostProbe, type Installation, probeCodeHost } from '../../../codehost/probe.ts';
import type { PullRequestLink } from '../../../jobs/pull-requests/link.ts';
import { type Finding, type Findings, findingsOf, type Given, SILENT } from './finding.ts';

const DAY_MS = 86_400_000;
const ENDS_SOON_MS = 14 * DAY_MS;
const REPOSITORIES_MAX = 5;
const NAMES_MAX = 5;
const SEE = 'See docs/operations/code-hosts.md.';
const ANNOUNCED = 'Pull requests are announced, but not followed until then.';

/** What an App needs: GitHub's name in the API, its name on the page, and what is lost without it. */
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

/**
 * Whether each code host accepts the credentials, and what they may read in the repositories of the latest
 * pull requests.
 */
export async function codeHostFindings(
  { config: { codeHosts }, tools }: Given,
  pullRequests: readonly string[],
): Promise<Finding[]> {
  const ofHosts = codeHosts.map(async (settings) =>
    hostFindings(settings, await probeCodeHost(settings, tools.timeoutMs), tools.clock.now()),
  );
  const hosts = createCodeHosts(codeHosts, { ...tools, log: SILENT });
  try {
    const links = pullRequests.flatMap((key) => hosts.find(key) ?? []);
    const byRepository = Map.groupBy(links, ({ webUrl, repository }) => `${webUrl}/${repository}`);
    const newest = [...byRepository.values()].flatMap(([link]) => link ?? []).slice(0, REPOSITORIES_MAX);
    const ofRepositories = newest.map(async (link) => repositoryFinding(link, await hosts.look(link, null)));
    return [...(await Promise.all(ofHosts)).flat(), ...(await Promise.all(ofRepositories))];
  } finally {
    await hosts.close();
  }
}

function hostFindings(
  { host, apiUrl, credentials }: CodeHostSettings,
  probe: HostProbe,
  nowMs: number,
): Finding[] {
  const findings = findingsOf('code_host', host);
  const setting =
    credentials.kind === 'app' ? 'GITHUB_APP_ID and GITHUB_APP_KEY' : `${host.toUpperCase()}_TOKEN`;
  switch (probe.kind) {
    case 'no_answer':
      return [
        findings.warning(
          `${apiUrl} does not answer (${probe.reason})`,
          `Check its address, and that this machine can reach it. ${ANNOUNCED}`,
        ),
      ];
    case 'rejected':
      return [
        findings.warning(`${apiUrl} does not accept ${setting}`, `Make new credentials. ${SEE} ${ANNOUNCED}`),
      ];
    case 'token': {
      const { endsAtMs } = probe;
      const accepted = `${apiUrl} accepts the token`;
      if (endsAtMs === null) return [findings.ok(accepted)];
      const found = `${accepted}, until ${new Date(endsAtMs).toISOString().slice(0, 10)}`;
      return endsAtMs - nowMs < ENDS_SOON_MS
        ? [findings.warning(found, `Replace it before then. ${SEE}`)]
        : [findings.ok(found)];
    }
    case 'app':
      return appFindings(
        findings,
        `${apiUrl} accepts the App ${probe.name ?? ''}`.trimEnd(),
        probe.installations,
      );
  }
}

function appFindings(
  findings: Findings,
  accepted: string,
  installations: readonly Installation[],
): Finding[] {
  if (installations.length === 0) {
    return [
      findings.warning(`${accepted}, which is not installed anywhere`, `Install it. ${SEE} ${ANNOUNCED}`),
    ];
  }
  return installations.map((installation) => {
    const account = installation.account ?? 'an account without a name';
    if (installation.isSuspended) {
      return findings.warning(`${accepted}, suspended by ${account}`, `Ask its owners. ${ANNOUNCED}`);
    }
    const found = `${accepted}, installed by ${account} on ${repositoriesText(installation)}`;
    const missing = APP_NEEDS.filter(([name]) => !installation.permissions.includes(name));
    const lost = missing.map(([, title, consequence]) => `${title} (${consequence})`);
    return missing.length === 0
      ? findings.ok(found)
      : findings.warning(
          `${found}, without the permission ${lost.join('; ')}`,
          `Add it to the App (read-only), and have ${account} accept it. ${SEE}`,
        );
  });
}

function repositoriesText({ repositories, repositoryCount: count }: Installation): string {
  const names = repositories.slice(0, NAMES_MAX).join(', ');
  const more = count > NAMES_MAX ? ` and ${count - NAMES_MAX} more` : '';
  return `${count} ${count === 1 ? 'repository' : 'repositories'}${count === 0 ? '' : ` (${names}${more})`}`;
}

function repositoryFinding({ name, repository }: PullRequestLink, look: Look): Finding {
  const findings = findingsOf('pull_requests', repository);
  switch (look.outcome) {
    case 'seen': {
      const missing = READINGS.flatMap((reading) => {
        const lacks = look.memory.readings[reading]?.lacks ?? [];
        return lacks.length === 0 ? [] : [`${LOST[reading]} (without the permission ${lacks.join(', ')})`];
      });
      return missing.length === 0
        ? findings.ok(`${name} can be read`)
        : findings.warning(
            `${name} can be read, but ${missing.join('; ')}`,
            `Grant it if you want that. ${SEE}`,
          );
    }
    case 'not_found':
      return findings.warning(
        `${name} cannot be seen`,
        `If it is still there, give the token or the App access to the repository. ${SEE}`,
      );
    case 'no_access':
      return findings.warning(`${name} may not be read (${look.reason})`, `Give access. ${SEE} ${ANNOUNCED}`);
    case 'later':
      return findings.warning(
        `${name}: the code host does not answer, or is at its rate limit`,
        'Run doctor later.',
      );
  }
}
