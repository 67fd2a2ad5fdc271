import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService, type Service } from '../../../src/app/service.ts';
import { startAgentApi } from '../agent-api/agent-api.ts';
import { freePort } from '../free-port.ts';
import { Watch } from '../invariants/watch.ts';
import { present } from '../is.ts';
import { laterBy } from '../later.ts';
import { alice, general } from '../local-slack.ts';
import { noFiles, oauth } from '../settings.ts';
import { type SlackTeamsOptions, startSlackTeams } from '../slack-teams.ts';
import { strictApp } from '../strict-slack/ids.ts';
import { createTempDir } from '../temp-dir.ts';
import { createTestClock } from '../test-clock.ts';

/** Two that are set up, each with a project of its own, and one that is not. */
export const acme = 'T0ACME1';
export const beta = 'T0BETA1';
export const other = 'T0OTHER';
export const acmeProject = 'acme-docs';
export const betaProject = 'beta-docs';

const CONFIG_FILE = 'docs-agent.yml';
const configFile = `
projects:
  - { id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }
  - { id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }
workspaces:
  ${acme}: { projects: [docs], admins: [U0ALICE] }
  ${beta}: { projects: [betadocs], admins: [U0ALICE] }
  ${strictApp.teamId}: { projects: [docs] }
`;

export type TeamsProgram = Awaited<ReturnType<typeof startTeamsProgram>>;

export interface TeamsProgramOptions extends Pick<SlackTeamsOptions, 'mode' | 'organisation'> {
  readonly teams?: readonly string[];
  /** Those that have installed the app at first. Default: those that are set up. */
  readonly installed?: readonly string[];
}

/** The program for several workspaces. */
export async function startTeamsProgram(options: TeamsProgramOptions = {}) {
  const resources = new AsyncDisposableStack();
  const clock = createTestClock(Date.now());
  const port = await freePort();
  const botUrl = `http://127.0.0.1:${port}`;
  const teams = options.teams ?? [acme, beta, other];
  const slack = resources.use(await startSlackTeams({ ...options, clock, teams, botUrls: [botUrl] }));
  const api = await startAgentApi({
    apiKey: (project) => `key-${project}`,
    projectId: acmeProject,
    otherProjectIds: [betaProject],
    clock,
    script: () => ({ workMs: 0, ending: 'manual' }),
  });
  resources.defer(() => api.close());
  const dataDir = await createTempDir();
  resources.defer(() => dataDir.remove());
  const env: Environment = {
    ...oauth,
    ...(options.mode === 'socket'
      ? { SLACK_APP_TOKEN: strictApp.appToken }
      : { SLACK_SIGNING_SECRET: strictApp.signingSecret }),
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    ACME_KEY: `key-${acmeProject}`,
    BETA_KEY: `key-${betaProject}`,
    DATA_DIR: dataDir.path,
    HOST: '127.0.0.1',
    DOCS_AGENT_CONFIG: CONFIG_FILE,
  };
  const log: string[] = [];
  const logger = createLogger({
    level: 'debug',
    destination: { write: (line) => void log.push(line) },
  });
  const readFile = (text: string) => (path: string) => (path === CONFIG_FILE ? text : noFiles(path));
  const start = async (more: Environment = {}, text = configFile) => {
    const config = parseConfig({ ...env, PORT: String(port), ...more }, readFile(text));
    const service = createService(config, { clock, log: logger });
    await service.start();
    return service;
  };
  const outside = () => [...teams.map((id) => slack.team(id).happened), api.taken];
  const watch = resources.use(new Watch(parseConfig(env, readFile(configFile)).store, { outside }));
  resources.defer(() => watch.verify());
  const services: Service[] = [];
  resources.defer(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });
  services.push(await start());
  const install = (owner: string) => goThroughPages(botUrl, slack.tokens.agree(owner));
  for (const owner of options.installed ?? [acme, beta]) {
    const page = await install(owner);
    if (page.status !== 200) throw new Error(`${owner} was not installed: ${await page.text()}`);
  }
  const later = laterBy(clock);
  const jobs = (projectId: string) => api.jobs.filter((job) => job.projectId === projectId);
  return {
    clock,
    slack,
    api,
    services,
    log: log as readonly string[],
    env,
    /** Stops the service and starts it again, with other settings perhaps. */
    restart: async (more?: Environment, text?: string) => {
      await services.shift()?.stop();
      services.unshift(await start(more, text));
    },
    /** Goes through the pages in a browser, and returns the last. */
    install,
    /** Types `/docs-agent <text>` in `general`. Resolves to what is answered to it. */
    ask: async (team: string, text: string) => {
      const { payload } = await slack.team(team).control.command({ channel: general, user: alice, text });
      return JSON.stringify(payload);
    },
    /** The card of this prompt, when it is there. */
    card: async (team: string, text: string) => {
      const read = async () =>
        (await slack.team(team).control.messages(general)).findLast(
          ({ thread_ts, subtype, text: shown }) =>
            thread_ts === undefined && subtype === undefined && shown.includes(`*${text}*`),
        );
      return later(read, present, `the card of “${text}”`);
    },
    /** What the project's agent was asked for so far. */
    prompts: (projectId: string) => jobs(projectId).map(({ prompts }) => [...prompts]),
    jobs,
    requests: (projectId: string) => api.requests.filter(({ path }) => path.includes(`/${projectId}/`)),
    later,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** As a browser: to Slack's page, where somebody agrees, and back. */
async function goThroughPages(botUrl: string, code: string): Promise<Response> {
  const first = await fetch(`${botUrl}/slack/install`, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const slackPage = new URL(first.headers.get('location') ?? '');
  const back = new URLSearchParams({ code, state: slackPage.searchParams.get('state') ?? '' });
  return fetch(`${botUrl}/slack/oauth_redirect?${back}`, { headers: { cookie } });
}
