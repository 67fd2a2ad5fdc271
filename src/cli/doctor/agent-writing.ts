import { type Probe, probeWriting } from '../../agent/client/probe.ts';
import type { Config } from '../../app/config/config.ts';
import type { AgentRefusal } from '../../store/inspect/facts.ts';
import { said } from './agent.ts';
import { type Finding, findingsOf } from './finding.ts';

const LET_IT_WRITE =
  'Give the project a key that may write (AGENT_API_KEY, or the variable that api_key_env names); requests wait until then.';
const WHAT_IS_MISSING =
  'Check the key (AGENT_API_KEY, or the variable that api_key_env names), whether it may write, and the plan of the project; requests wait until then.';
const ASK_AGAIN = 'Run doctor again later, or ask who runs the API.';

/** Whether requests can be sent: as the running program found it, and by an empty request if that is asked for. */
export async function writingFindings(
  { agent, projects }: Config,
  refusals: readonly AgentRefusal[],
  { timeoutMs, probeWrite }: { readonly timeoutMs: number; readonly probeWrite: boolean },
): Promise<Finding[]> {
  if (probeWrite) {
    return Promise.all(
      projects.map(async ({ id: projectId, name }) => {
        const apiKey = agent.apiKeys.get(projectId) ?? '';
        return probeFinding(
          name,
          await probeWriting({ baseUrl: agent.baseUrl, projectId, apiKey, timeoutMs }),
        );
      }),
    );
  }
  const known = projects.flatMap(({ id, name }) =>
    refusals.filter(({ projectId }) => projectId === id).map((refusal) => refusalFinding(name, refusal)),
  );
  return known.length > 0 ? known : [notTried()];
}

function notTried(): Finding {
  return findingsOf('agent_writing').ok(
    'not tried: a key that may only read is not found out by reading',
    '`docs-agent doctor --probe-write` tries it with an empty request, which no agent may take.',
  );
}

function refusalFinding(project: string, { words }: AgentRefusal): Finding {
  return findingsOf('agent_writing', project).error(
    `the last request was refused: ${words}`,
    WHAT_IS_MISSING,
  );
}

function probeFinding(project: string, probe: Probe): Finding {
  const findings = findingsOf('agent_writing', project);
  if (probe.kind === 'unreachable') {
    return findings.warning(`nobody can tell: no answer (${probe.code})`, ASK_AGAIN);
  }
  const answer = said(probe);
  const { status } = probe;
  if (status === 400 || status === 422)
    return findings.ok(`the key may write (${answer}, to an empty request)`);
  if (status === 401 || status === 403)
    return findings.error(`the key may not write (${answer})`, LET_IT_WRITE);
  if (status === 402) {
    const advice = 'Look at the plan of the project at the agent; requests wait until then.';
    return findings.error(`the plan does not allow it (${answer})`, advice);
  }
  if (status === 404) {
    const advice = 'Correct AGENT_PROJECT_ID, or the id in the file of DOCS_AGENT_CONFIG.';
    return findings.error(`the project is not known for writing (${answer})`, advice);
  }
  if (status === 429) return findings.warning(`at its rate limit (${answer})`, 'Look again later.');
  if (status >= 200 && status < 300) {
    return findings.error(
      `the API took an empty request (${answer}): there may be a job now that nobody asked for`,
      'The key may write. Tell who runs the API that it takes empty requests, and do not use --probe-write there.',
    );
  }
  return findings.warning(`nobody can tell from this answer (${answer})`, ASK_AGAIN);
}
