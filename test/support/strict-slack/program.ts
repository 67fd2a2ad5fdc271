import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService, type Service } from '../../../src/app/service.ts';
import { type AgentApi, startAgentApi } from '../agent-api/agent-api.ts';
import type { Capability } from '../agent-api/scripted-job.ts';
import { freePort } from '../free-port.ts';
import { Watch } from '../invariants/watch.ts';
import { present } from '../is.ts';
import { type Later, laterBy, stopBy } from '../later.ts';
import { alice, general, type SlackMessage } from '../local-slack.ts';
import { noFiles } from '../settings.ts';
import { type StrictSlack, type StrictSlackOptions, startStrictSlack } from '../strict-slack.ts';
import { createTempDir } from '../temp-dir.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';

const CONFIG_FILE = 'docs-agent.yml';

export interface Program extends AsyncDisposable {
  readonly clock: TestClock;
  readonly api: AgentApi;
  readonly slack: StrictSlack;
  readonly service: Service;
  /** The settings that the service runs with. */
  readonly env: Environment;
  /** Stops the service and starts it again on the same store, with another file of DOCS_AGENT_CONFIG if it is given. */
  restart(configFile?: string): Promise<void>;
  /** All that the program logged. */
  readonly log: readonly string[];
  /** Types `/docs-agent <text>` in `general`, and lets time run until the card is there. */
  ask(text: string): Promise<SlackMessage>;
  /** Asks, and waits until the thread says that the agent works. Returns the card. */
  working(text?: string): Promise<SlackMessage>;
  /** Lets time run until the card says this, and returns it. */
  shows(card: SlackMessage, words: string): Promise<SlackMessage>;
  /** Lets time run until the thread of the card has a message that contains the words. */
  threadMessage(card: SlackMessage, words: string): Promise<SlackMessage>;
  readonly later: Later;
  readonly watch: Watch;
}

export interface ProgramOptions {
  readonly mode?: 'socket' | 'http';
  readonly slack?: Pick<StrictSlackOptions, 'limits' | 'keepsBlockIds'>;
  readonly settings?: Environment;
  /** The text of the file of DOCS_AGENT_CONFIG. */
  readonly configFile?: string;
  /** What the agent API offers besides the seed. Default: nothing. */
  readonly announces?: readonly Capability[];
}

/** The whole program with the strict Slack and the stand-in agent API, whose turns last until a test ends them. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const resources = new AsyncDisposableStack();
  const clock = createTestClock(Date.now());
  const mode = options.mode ?? 'socket';
  const port = mode === 'http' ? await freePort() : 0;
  const requestUrls = [`http://127.0.0.1:${port}/slack/events`];
  const slack = await startStrictSlack({
    clock,
    app: mode === 'http' ? { mode: 'events', requestUrls } : { mode: 'socket' },
    ...options.slack,
  });
  resources.use(slack);
  const api = await startAgentApi({
    apiKey: 'test-key',
    projectId: 'acme-docs',
    clock,
    script: () => ({ workMs: 0, ending: 'manual' }),
    announces: options.announces ?? [],
  });
  resources.defer(() => api.close());
  const dataDir = await createTempDir();
  resources.defer(() => dataDir.remove());
  const env = {
    SLACK_BOT_TOKEN: slack.botToken,
    ...(mode === 'socket'
      ? { SLACK_APP_TOKEN: slack.appToken }
      : { SLACK_SIGNING_SECRET: slack.signingSecret }),
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    AGENT_API_KEY: 'test-key',
    AGENT_PROJECT_ID: 'acme-docs',
    DATA_DIR: dataDir.path,
    HOST: '127.0.0.1',
    PORT: String(port),
    ...(options.configFile === undefined ? {} : { DOCS_AGENT_CONFIG: CONFIG_FILE }),
    ...options.settings,
  };
  let configFile = options.configFile ?? '';
  const readFile = (path: string) => (path === CONFIG_FILE ? configFile : noFiles(path));
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'debug', destination });
  const newService = () => createService(parseConfig(env, readFile), { clock, log });
  const { agent, store } = parseConfig(env, readFile);
  const { hourlyBudget } = agent;
  const watch = resources.use(new Watch(store, { hourlyBudget, outside: () => [slack.happened, api.taken] }));
  resources.defer(() => watch.verify());
  let service = newService();
  await service.start();
  resources.defer(() => stopBy(clock, service));

  const later = laterBy(clock);
  const ask = async (text: string) => {
    await slack.control.command({ channel: general, user: alice, text });
    const cards = async () =>
      (await slack.control.messages(general)).findLast(
        (message) => message.thread_ts === undefined && message.text.includes(text),
      );
    return later(cards, present, `card for "${text}"`);
  };
  const threadMessage = (card: SlackMessage, words: string) =>
    later(
      async () =>
        (await slack.control.thread(card.channel, card.ts)).findLast(
          ({ ts, text }) => ts !== card.ts && text.includes(words),
        ),
      present,
      `message with "${words}"`,
    );
  return {
    clock,
    api,
    slack,
    get service() {
      return service;
    },
    env,
    restart: async (changed) => {
      configFile = changed ?? configFile;
      await service.stop();
      // A test may have moved the store.
      watch.include(parseConfig(env, readFile).store);
      service = newService();
      await service.start();
    },
    log: lines,
    ask,
    working: async (text = 'Add a quickstart') => {
      const card = await ask(text);
      await threadMessage(card, 'On it');
      return card;
    },
    shows: async ({ channel, ts }, words) => {
      const find = async () => (await slack.control.messages(channel)).find((one) => one.ts === ts);
      return later(
        find,
        (card): card is SlackMessage => card?.text.includes(words) === true,
        `the card to say "${words}"`,
      );
    },
    threadMessage,
    later,
    watch,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
