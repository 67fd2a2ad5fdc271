import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { examine } from '../../../src/doctor/examine.ts';
import type { CheckName, Finding } from '../../../src/doctor/finding.ts';
import { clockFrom, systemClock } from '../../../src/runtime/clock.ts';
import { type AgentApi, startAgentApi } from '../../support/agent-api/agent-api.ts';
import { noFiles } from '../../support/settings.ts';
import { type StrictSlack, startStrictSlack } from '../../support/strict-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';

const CONFIG_FILE = 'docs-agent.yml';
const TIMEOUT_MS = 5_000;

/** All that `doctor` looks at, in good health until a test changes that. */
export interface Patient extends AsyncDisposable {
  readonly slack: StrictSlack;
  readonly api: AgentApi;
  /** How far it is ahead of this machine's. */
  readonly slackClock: { aheadMs: number };
  /** The settings; tests may change them. */
  readonly env: Record<string, string | undefined>;
  /** The text of the file of DOCS_AGENT_CONFIG, or null. */
  configFile: string | null;
  look(timeoutMs?: number, more?: { readonly probeWrite: boolean }): Promise<readonly Finding[]>;
  /** The one finding of this check, and of this subject, if there may be several. */
  finding(check: CheckName, subject?: string): Promise<Finding>;
}

export async function startPatient(): Promise<Patient> {
  const resources = new AsyncDisposableStack();
  const slackClock = { aheadMs: 0 };
  const clock = clockFrom({ ...systemClock, now: () => Date.now() + slackClock.aheadMs });
  const slack = resources.use(await startStrictSlack({ clock, app: { mode: 'socket' } }));
  const api = await startAgentApi({
    apiKey: 'key-hunter2',
    projectId: 'acme-docs',
    clock: systemClock,
    script: () => ({ workMs: 0, ending: 'manual' }),
  });
  resources.defer(() => api.close());
  const dataDir = resources.use(await createTempDir());
  const env: Patient['env'] = settingsOf(slack, api, dataDir.path);
  const patient: Patient = {
    slack,
    api,
    slackClock,
    env,
    configFile: null,
    look: (timeoutMs = TIMEOUT_MS, { probeWrite } = { probeWrite: false }) => {
      const file = patient.configFile === null ? {} : { DOCS_AGENT_CONFIG: CONFIG_FILE };
      const readFile = (path: string) => (path === CONFIG_FILE ? (patient.configFile ?? '') : noFiles(path));
      return examine(parseConfig({ ...env, ...file }, readFile), {
        clock: systemClock,
        timeoutMs,
        probeWrite,
      });
    },
    finding: async (check, subject) => one(await patient.look(), check, subject),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  return patient;
}

export function settingsOf(slack: StrictSlack, api: AgentApi, dataDir: string): Environment {
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    AGENT_API_KEY: 'key-hunter2',
    AGENT_PROJECT_ID: 'acme-docs',
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
  };
}

export function one(findings: readonly Finding[], check: CheckName, subject?: string): Finding {
  const found = findings.filter(
    (finding) => finding.check === check && (subject === undefined || finding.subject === subject),
  );
  const [finding] = found;
  if (finding === undefined || found.length > 1) {
    throw new Error(`${found.length} findings of ${check} ${subject ?? ''}: ${JSON.stringify(findings)}`);
  }
  return finding;
}
