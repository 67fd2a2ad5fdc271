import type { Environment, ReadFile } from '../../../src/config/values.ts';
import { parseConfig } from '../../../src/config.ts';
import { type AgentApi, startAgentApi } from '../../../src/demo/agent-api/agent-api.ts';
import type { Script } from '../../../src/demo/agent-api/script.ts';
import { createLogger } from '../../../src/operations/logger.ts';
import { createService, type Service } from '../../../src/service.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import { noFiles } from '../../support/settings.ts';
import { type StrictSlack, startStrictSlack } from '../../support/strict-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const PROJECT_ID = 'acme-docs';
const API_KEY = 'test-key';

/** The program between a strict Slack and the stand-in agent API, over Socket Mode. */
export interface StrictWorld extends AsyncDisposable {
  readonly clock: TestClock;
  readonly api: AgentApi;
  readonly slack: StrictSlack;
  /** What the agent was given so far: of each job, its prompts. */
  prompts(): string[][];
  /** Waits until the agent has been given this prompt in a new job. */
  started(prompt: string): Promise<void>;
  /** Waits for a message in the channel, as its people see it. */
  seen(channel: string, what: (message: SlackMessage) => boolean): Promise<SlackMessage>;
  /** Waits for a private message with these words. */
  whispered(channel: string, words: string): Promise<SlackMessage>;
  /** Until nothing is under way any more, with so much time to pass. */
  settled(ms?: number): Promise<void>;
  /** Stops the service and starts it again on the same store. */
  restart(): Promise<void>;
}

export interface StrictWorldOptions {
  readonly settings?: Environment;
  readonly readFile?: ReadFile;
  /** Default: every turn lasts until the test ends it. */
  readonly script?: Script;
}

export async function startStrictWorld(options: StrictWorldOptions = {}): Promise<StrictWorld> {
  const resources = new AsyncDisposableStack();
  const clock = createTestClock(Date.now());
  const slack = resources.use(await startStrictSlack({ clock, app: { mode: 'socket' } }));
  const api = await startAgentApi({
    apiKey: API_KEY,
    projectId: PROJECT_ID,
    clock,
    port: 0,
    script: options.script ?? (() => ({ workMs: 0, ending: 'manual' })),
  });
  resources.defer(() => api.close());
  const dataDir = await createTempDir();
  resources.defer(() => dataDir.remove());
  const config = parseConfig(
    {
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      AGENT_BASE_URL: api.baseUrl,
      AGENT_API_KEY: API_KEY,
      AGENT_PROJECT_ID: PROJECT_ID,
      DATA_DIR: dataDir.path,
      HOST: '127.0.0.1',
      PORT: '0',
      ...options.settings,
    },
    options.readFile ?? noFiles,
  );
  const log = createLogger({ level: 'error', pretty: false, destination: { write: () => {} } });
  const newService = (): Service => createService(config, { clock, log });
  let service = newService();
  await service.start();
  resources.defer(() => service.stop());

  const seen = (channel: string, what: (message: SlackMessage) => boolean) =>
    waitFor(
      async () => (await slack.control.messages(channel)).findLast(what),
      (message): message is SlackMessage => message !== undefined,
      { what: `a message in ${channel}` },
    );
  const prompts = () => api.jobs.map((job) => [...job.prompts]);
  return {
    clock,
    api,
    slack,
    prompts,
    started: async (prompt) => {
      await waitFor(prompts, (all) => all.some(([first]) => first === prompt), { what: `a job "${prompt}"` });
    },
    seen,
    whispered: (channel, words) =>
      seen(channel, ({ subtype, text }) => subtype === 'ephemeral' && text.includes(words)),
    settled: async (ms = 5_000) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
        await clock.advance(1_000);
        await waitFor(
          () => slack.inFlight(),
          (calls) => calls === 0,
          { what: 'quiet' },
        );
      }
    },
    restart: async () => {
      await service.stop();
      service = newService();
      await service.start();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
