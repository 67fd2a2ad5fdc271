import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService } from '../../../src/app/service.ts';
import { startAgentApi } from '../agent-api/agent-api.ts';
import type { Capability, Script } from '../agent-api/scripted-job.ts';
import { startCodeHost } from '../code-host/code-host.ts';
import { freePort } from '../free-port.ts';
import { Watch } from '../invariants/watch.ts';
import { present } from '../is.ts';
import { laterBy, stopBy } from '../later.ts';
import { alice, general, type SlackMessage } from '../local-slack.ts';
import { noFiles } from '../settings.ts';
import { type StrictSlackOptions, startStrictSlack } from '../strict-slack.ts';
import { createTempDir } from '../temp-dir.ts';
import { createTestClock } from '../test-clock.ts';

const CONFIG_FILE = 'docs-agent.yml';
const CODE_HOST_TOKEN = 'token-of-the-tests';

export type Program = Awaited<ReturnType<typeof startProgram>>;

export interface ProgramOptions {
  readonly mode?: 'socket' | 'http';
  readonly slack?: Pick<StrictSlackOptions, 'limits' | 'keepsBlockIds'>;
  readonly settings?: Environment;
  /** The text of the file of DOCS_AGENT_CONFIG. */
  readonly configFile?: string;
  /** Pull requests of a stand-in code host are looked at. */
  readonly hasCodeHost?: true;
  /** Default: every turn lasts until the test ends it. */
  readonly script?: Script;
  /** What the agent API offers besides the seed. Default: nothing. */
  readonly announces?: readonly Capability[];
}

/** The whole program with the strict Slack and the stand-in agent API, whose turns last until a test ends them. */
export async function startProgram(options: ProgramOptions = {}) {
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
    script: options.script ?? (() => ({ workMs: 0, ending: 'manual' })),
    announces: options.announces ?? [],
  });
  resources.defer(() => api.close());
  const codeHost = await (options.hasCodeHost ? startCodeHost({ token: CODE_HOST_TOKEN, clock }) : null);
  resources.defer(() => codeHost?.close());
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
    ...(codeHost && { GITHUB_TOKEN: CODE_HOST_TOKEN, GITHUB_WEB_URL: codeHost.webUrl }),
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
  const posts = async ({ channel, ts: rootTs }: SlackMessage, words = '') =>
    (await slack.control.thread(channel, rootTs)).filter(
      ({ ts, text }) => ts !== rootTs && text.includes(words),
    );
  const threadMessage = (card: SlackMessage, words: string) =>
    later(async () => (await posts(card, words)).at(-1), present, `message with "${words}"`);
  return {
    clock,
    api,
    slack,
    /** Only with `hasCodeHost`. */
    get codeHost() {
      if (codeHost === null) throw new Error('it is not set up');
      return codeHost;
    },
    get service() {
      return service;
    },
    /** The settings that the service runs with. */
    env,
    /** Stops the service and starts it again on the same store, with another file of DOCS_AGENT_CONFIG if it is given. */
    restart: async (changed?: string) => {
      configFile = changed ?? configFile;
      await service.stop();
      // A test may have moved the store.
      watch.include(parseConfig(env, readFile).store);
      service = newService();
      await service.start();
    },
    /** All that the program logged. */
    log: lines as readonly string[],
    /** Types `/docs-agent <text>` in `general`, and lets time run until the card is there. */
    ask,
    /** Asks, and waits until the thread says that the agent works. Returns the card. */
    working: async (text = 'Add a quickstart') => {
      const card = await ask(text);
      await threadMessage(card, 'On it');
      return card;
    },
    /** Lets time run until the card says this, and returns it. */
    shows: async ({ channel, ts }: SlackMessage, words: string) => {
      const find = async () => (await slack.control.messages(channel)).find((one) => one.ts === ts);
      return later(
        find,
        (card): card is SlackMessage => card?.text.includes(words) === true,
        `the card to say "${words}"`,
      );
    },
    /** Lets time run until the thread of the card has a message that contains the words. */
    threadMessage,
    /** The messages of the card's thread, without the card; those that contain the words. */
    posts,
    later,
    watch,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
