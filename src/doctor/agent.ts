import { type Probe, probeProject } from '../agent/probe.ts';
import type { Config } from '../config.ts';
import { type Finding, findingsOf } from './finding.ts';

const WORDS_MAX = 200;

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
  const { status, latencyMs } = probe;
  const words = probe.words === null ? '' : `, "${probe.words.slice(0, WORDS_MAX)}"`;
  const said = `${status}${words}, after ${Math.round(latencyMs)} ms`;
  if (status === 401 || status === 403) {
    return findings.error(
      `the key is rejected (${said})`,
      'Correct AGENT_API_KEY, or the variable that api_key_env names for this project.',
    );
  }
  if (status === 404 && isAboutProject(probe.words)) {
    return findings.error(
      `the key is accepted, but the project is not known (${said})`,
      'Correct AGENT_PROJECT_ID, or the id in the file of DOCS_AGENT_CONFIG.',
    );
  }
  if (status === 404 && probe.words === null) {
    return findings.warning(
      `somebody answers, but not in the words of the agent API (${said})`,
      'Check that AGENT_BASE_URL leads to the agent API, with its path if it has one.',
    );
  }
  if (status === 404) {
    return findings.ok(`reached, key accepted (${said}, to a job that does not exist)`);
  }
  if (status === 429)
    return findings.warning(`at its rate limit (${said})`, 'Look again later; requests wait.');
  return findings.error(
    `answers as it should not (${said})`,
    'Check AGENT_BASE_URL, and ask who runs the API; requests wait until then.',
  );
}

/** 404 is the answer for an unknown job and for an unknown project; only the API's words may tell. */
function isAboutProject(words: string | null): boolean {
  return words !== null && /\bproject\b/i.test(words) && !/\bjob\b/i.test(words);
}
