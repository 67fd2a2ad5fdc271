import { type Probe, probeProject } from '../../agent/client/probe.ts';
import type { Config } from '../../app/config/config.ts';
import { type Finding, findingsOf } from './finding.ts';

/** One finding for each project, and how far this clock is ahead of the API's. */
export async function agentFindings(
  { agent, projects }: Config,
  timeoutMs: number,
): Promise<{ readonly findings: readonly Finding[]; readonly clockAheadMs: number | null }> {
  const probes = await Promise.all(
    projects.map(async ({ id, name }) => {
      const apiKey = agent.apiKeys.get(id) ?? '';
      const probe = await probeProject({ baseUrl: agent.baseUrl, projectId: id, apiKey, timeoutMs });
      return { name, probe };
    }),
  );
  const clocks = probes.flatMap(({ probe }) =>
    probe.kind === 'answered' && probe.clockAheadMs !== null ? [probe.clockAheadMs] : [],
  );
  return {
    findings: probes.map(({ name, probe }) => probeFinding(name, probe)),
    clockAheadMs: clocks[0] ?? null,
  };
}

function probeFinding(project: string, probe: Probe): Finding {
  const findings = findingsOf('agent_api', project);
  if (probe.kind === 'unreachable') {
    return findings.error(
      `cannot be reached (${probe.code})`,
      'Check AGENT_BASE_URL, and that this machine gets there; requests wait until then.',
    );
  }
  const { status } = probe;
  const answer = said(probe);
  if (status === 401 || status === 403) {
    return findings.error(
      `the key is rejected (${answer})`,
      'Correct AGENT_API_KEY, or the variable that api_key_env names for this project.',
    );
  }
  if (status === 404 && isAboutProject(probe.words)) {
    return findings.error(
      `the key is accepted, but the project is not known (${answer})`,
      'Correct AGENT_PROJECT_ID, or the id in the file of DOCS_AGENT_CONFIG.',
    );
  }
  if (status === 404 && probe.words === null) {
    return findings.warning(
      `somebody answers, but not in the words of the agent API (${answer})`,
      'Check that AGENT_BASE_URL leads to the agent API, with its path if it has one.',
    );
  }
  if (status === 404) {
    return findings.ok(`reached, key accepted (${answer}, to a job that does not exist)`);
  }
  if (status === 429)
    return findings.warning(`at its rate limit (${answer})`, 'Look again later; requests wait.');
  return findings.error(
    `answers as it should not (${answer})`,
    'Check AGENT_BASE_URL, and ask who runs the API; requests wait until then.',
  );
}

/** 404 is the answer for an unknown job and for an unknown project; only the API's words may tell. */
function isAboutProject(words: string | null): boolean {
  return words !== null && /\bproject\b/i.test(words) && !/\bjob\b/i.test(words);
}

const WORDS_MAX = 200;

/** An answer in short: its status, the API's words, and how long it took. */
export function said({ status, words, latencyMs }: Extract<Probe, { kind: 'answered' }>): string {
  const quoted = words === null ? '' : `, "${words.slice(0, WORDS_MAX)}"`;
  return `${status}${quoted}, after ${Math.round(latencyMs)} ms`;
}
