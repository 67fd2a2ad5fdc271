import { type AgentClient, AgentError, createAgentClient, NO_JOB } from '#agent/client.ts';
import type { Config } from '#app/config/config.ts';
import type { StoreFacts } from '#store/inspect.ts';
import { type Finding, findingsOf, type Given } from './finding.ts';

const KEY = 'AGENT_API_KEY, or the variable that api_key_env names';
const CORRECT_PROJECT = 'Correct AGENT_PROJECT_ID, or the id in the file of DOCS_AGENT_CONFIG.';

export async function readingFindings(given: Given<Config>): Promise<Finding[]> {
  const probed = await probeEach(given, (client, id) => client.getJob(id, NO_JOB));
  return [...probed.map(readingFinding), ...probed.flatMap(endFinding)];
}

/** From the running program, or an empty request. */
export async function writingFindings(given: Given<Config>, stored: StoreFacts | null): Promise<Finding[]> {
  if (given.tools.probeWrite)
    return (await probeEach(given, (client, id) => client.createJob(id, ''))).map(writingFinding);
  const refused = given.config.projects.flatMap(({ id, name }) =>
    (stored?.agentRefusals ?? [])
      .filter(({ projectId }) => projectId === id)
      .map(({ words }) =>
        findingsOf('agent_writing', name).error(
          `the last request was refused: ${words}`,
          `Check the key (${KEY}), whether it may write, and the plan of the project; requests wait until then.`,
        ),
      ),
  );
  if (refused.length > 0) return refused;
  return [
    findingsOf('agent_writing').ok(
      "not checked: write access can't be tested without sending a request",
      '`docs-agent doctor --probe-write` tries it with an empty request, which every agent must refuse.',
    ),
  ];
}

const PAUSED = [
  [
    'reads',
    'no job updates are read',
    'Job updates resume then, automatically. If this happens often, lower AGENT_READS_PER_MINUTE.',
  ],
  [
    'calls',
    'no requests or replies are sent',
    'They wait, and go out then, automatically. If this happens often, lower AGENT_HOURLY_BUDGET.',
  ],
] as const;

/** From the running program, since doctor's own read may succeed. */
export function pauseFindings({ projects }: Config, stored: StoreFacts | null): Finding[] {
  return PAUSED.flatMap(([kind, what, next]) =>
    (stored?.pauses[kind] ?? []).flatMap(({ projectId, atMs, untilMs }) => {
      const [since, until] = [atMs, untilMs].map((ms) => new Date(ms).toISOString());
      const found = `${what} until ${until}: the agent API answered 429 (${since})`;
      return projects
        .filter(({ id }) => id === projectId)
        .map(({ name }) => findingsOf('agent_limit', name).warning(found, next));
    }),
  );
}

type ProbedProject = Readonly<{
  name: string;
  /** Null: no answer. */
  status: number | null;
  words?: string | undefined;
  said: string;
  end?: string | null | undefined;
}>;

const WORDS_MAX = 200;

async function probeEach(
  { config: { agent, projects }, tools: { timeoutMs } }: Given<Config>,
  ask: (client: AgentClient, projectId: string) => Promise<unknown>,
): Promise<ProbedProject[]> {
  const client = createAgentClient({ ...agent, apiKeyOf: (id) => agent.apiKeys.get(id), timeoutMs });
  const probed = projects.map(async ({ id, name }) => {
    const error: unknown = await ask(client, id).catch((thrown: unknown) => thrown);
    // A job.
    if (!(error instanceof AgentError)) return { name, status: 200, said: '200' };
    const { status, message, words } = error.failure;
    const quoted = words === undefined ? '' : `, "${words.slice(0, WORDS_MAX)}"`;
    const said = status === null ? message : `${status}${quoted}`;
    return { name, status, words, said, end: error.announced.end };
  });
  return Promise.all(probed).finally(client.close);
}

/** The probe reads a job that doesn't exist. */
function readingFinding({ name, status, words, said }: ProbedProject) {
  const { ok, warning, error } = findingsOf('agent_api', name);
  if (status === null) {
    const next = 'Check AGENT_BASE_URL, and that this machine can reach it; requests wait until then.';
    return error(`cannot be reached: ${said}`, next);
  }
  if (status === 401 || status === 403) {
    return error(`the key is rejected (${said})`, `Correct ${KEY} for this project.`);
  }
  if (status === 429) return warning(`at its rate limit (${said})`, 'Check again later; requests wait.');
  if (status !== 404) {
    const next = 'Check AGENT_BASE_URL, and ask whoever runs the API; requests wait until then.';
    return error(`gives an unexpected answer (${said})`, next);
  }
  if (words === undefined) {
    const next = 'Check that AGENT_BASE_URL leads to the agent API, with its path if it has one.';
    return warning(`something answers, but not as the agent API does (${said})`, next);
  }
  // Unknown jobs and projects both get 404; only the text differs.
  return /\bproject\b/i.test(words) && !/\bjob\b/i.test(words)
    ? error(`the key is accepted, but the project is unknown (${said})`, CORRECT_PROJECT)
    : ok(`reached, key accepted (${said}, to a job that does not exist)`);
}

function endFinding({ name, end }: ProbedProject): readonly Finding[] {
  if (!end) return [];
  const next = 'Ask whoever runs the API when it ends, and what replaces it.';
  return [findingsOf('agent_api', name).warning(`says that it is going to end (${end})`, next)];
}

function writingFinding({ name, status, said }: ProbedProject) {
  const { ok, warning, error } = findingsOf('agent_writing', name);
  if (status !== null && status >= 200 && status <= 299) {
    return error(
      'the API accepted an empty request: there may be a job now that nobody asked for',
      'The key may write. Tell whoever runs the API that it accepts empty requests, and do not use --probe-write there.',
    );
  }
  switch (status) {
    case 400:
    case 422:
      return ok(`the key may write (${said}, to an empty request)`);
    case 401:
    case 403: {
      const next = `Give the project a key that may write (${KEY}); requests wait until then.`;
      return error(`the key may not write (${said})`, next);
    }
    case 402: {
      const next = "Check the project's plan with the agent's provider; requests wait until then.";
      return error(`the plan does not allow it (${said})`, next);
    }
    case 404:
      return error(`the project is unknown to write calls (${said})`, CORRECT_PROJECT);
    default:
      return warning(`unknown: ${said}`, 'Run doctor again later, or ask whoever runs the API.');
  }
}
