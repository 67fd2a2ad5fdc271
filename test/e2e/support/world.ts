import { type Config, parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService, type Service } from '../../../src/app/service.ts';
import { type AgentApi, startAgentApi } from '../../support/agent-api/agent-api.ts';
import type { Capability, Script } from '../../support/agent-api/scripted-job.ts';
import { type CodeHost, startCodeHost } from '../../support/code-host/code-host.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { Watch } from '../../support/invariants/watch.ts';
import { type Later, laterBy, stopBy } from '../../support/later.ts';
import {
  alice,
  borrowTestSlack,
  general,
  type SlackControl,
  type SlackMessage,
  startTestSlack,
  testWorkspace,
} from '../../support/local-slack.ts';
import { noFiles } from '../../support/settings.ts';
import { createSignedSlack, type SignedSlack } from '../../support/signed-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const PROJECT_ID = 'acme-docs';
const API_KEY = 'test-key';
const CODE_HOST_TOKEN = 'token-of-the-tests';

/** The program with real parts around it: a local Slack behind a fault proxy, and the stand-in agent API. */
export interface World {
  readonly clock: TestClock;
  /** The one that runs now or ran last: see `apiUp`. */
  readonly api: AgentApi;
  /** Only with `hasCodeHost`. */
  readonly codeHost: CodeHost;
  readonly slack: SlackControl;
  readonly proxy: FaultProxy;
  /** Slack's requests in HTTP mode, made by the test. */
  readonly signed: SignedSlack;
  readonly service: Service;
  /** The settings that the service runs with. */
  readonly env: Environment;
  /** All that the program logged. */
  readonly log: readonly string[];
  /** Types `/docs-agent <text>`, and waits for the card. */
  ask(text: string, user?: string): Promise<SlackMessage>;
  /** Waits until the thread of the card has a message that contains the words, and returns it; the clock is not moved. */
  threadMessage(card: SlackMessage, words: string): Promise<SlackMessage>;
  readonly later: Later;
  /** The card as it is now. */
  card(root: SlackMessage): Promise<string>;
  /** The messages of the card's thread, without the card. */
  posts(card: SlackMessage): Promise<readonly SlackMessage[]>;
  /** Stops the service and starts it again on the same store. */
  restart(): Promise<void>;
  /** Ends the agent API: connections to it are refused. */
  apiDown(): Promise<void>;
  /** Starts another agent API at the address of the one that ended: it knows no jobs and has counted nothing. */
  apiUp(): Promise<void>;
}

export interface WorldOptions {
  readonly mode?: 'socket' | 'http';
  readonly settings?: Environment;
  /** Pull requests of a stand-in code host are looked at. */
  readonly hasCodeHost?: true;
  /** Default: every turn lasts until the test ends it. */
  readonly script?: Script;
  /** What the agent API offers besides the seed. Default: nothing. */
  readonly announces?: readonly Capability[];
}

/** Everything ends with the returned object. */
export async function startWorld(options: WorldOptions = {}): Promise<World & AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  const mode = options.mode ?? 'socket';
  const clock = createTestClock(Date.now());
  const botPort = mode === 'http' ? await freePort() : 0;
  const botUrl = `http://127.0.0.1:${botPort}`;
  const app = { mode: 'events', requestUrl: `${botUrl}/slack/events` } as const;
  const slack = await (mode === 'socket' ? borrowTestSlack() : startTestSlack({ ...testWorkspace, app }));
  resources.defer(() => slack.stop());
  const proxy = await startFaultProxy({ target: slack.apiUrl });
  resources.defer(() => proxy.close());
  const apis: AgentApi[] = [];
  const newApi = async (port: number) => {
    const made = await startAgentApi({
      apiKey: API_KEY,
      projectId: PROJECT_ID,
      clock,
      port,
      script: options.script ?? (() => ({ workMs: 0, ending: 'manual' })),
      announces: options.announces ?? [],
    });
    apis.push(made);
    return made;
  };
  let api = await newApi(0);
  let closeApi: (() => Promise<void>) | null = api.close;
  const apiDown = async () => {
    const close = closeApi;
    closeApi = null;
    await close?.();
  };
  resources.defer(apiDown);
  const dataDir = await createTempDir();
  resources.defer(() => dataDir.remove());

  const codeHost = await (options.hasCodeHost ? startCodeHost({ token: CODE_HOST_TOKEN, clock }) : null);
  resources.defer(() => codeHost?.close());
  const env: Environment = {
    SLACK_BOT_TOKEN: slack.botToken,
    ...(mode === 'socket'
      ? { SLACK_APP_TOKEN: slack.appToken }
      : { SLACK_SIGNING_SECRET: slack.signingSecret }),
    SLACK_API_URL: proxy.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    AGENT_API_KEY: API_KEY,
    AGENT_PROJECT_ID: PROJECT_ID,
    DATA_DIR: dataDir.path,
    HOST: '127.0.0.1',
    PORT: String(botPort),
    LOG_LEVEL: 'debug',
    ...(codeHost && { GITHUB_TOKEN: CODE_HOST_TOKEN, GITHUB_WEB_URL: codeHost.webUrl }),
    ...options.settings,
  };
  const config: Config = parseConfig(env, noFiles);
  const { hourlyBudget } = config.agent;
  const outside = () => [proxy.happened, ...apis.map(({ taken }) => taken)];
  const watch = resources.use(new Watch(config.store, { hourlyBudget, outside }));
  resources.defer(() => watch.verify());
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  const newService = () => createService(config, { clock, log });
  let service = newService();
  await service.start();
  resources.defer(() => stopBy(clock, service));

  const posts = async (card: SlackMessage) =>
    (await slack.control.thread(card.channel, card.ts)).filter(({ ts }) => ts !== card.ts);

  return {
    clock,
    get api() {
      return api;
    },
    get codeHost() {
      if (codeHost === null) throw new Error('it is not set up');
      return codeHost;
    },
    slack: slack.control,
    proxy,
    signed: createSignedSlack({
      url: `${botUrl}/slack/events`,
      signingSecret: slack.signingSecret,
      teamId: slack.teamId,
    }),
    get service() {
      return service;
    },
    env,
    log: lines,
    ask: async (text, user = alice) => {
      const before = new Set((await slack.control.messages(general)).map(({ ts }) => ts));
      await slack.control.command({ channel: general, user, text });
      return waitFor(
        async () =>
          (await slack.control.messages(general)).find(
            (message) => !before.has(message.ts) && message.thread_ts === undefined && !message.subtype,
          ),
        (card): card is SlackMessage => card !== undefined,
        { what: `the card for "${text.slice(0, 40)}"` },
      );
    },
    threadMessage: (card, words) =>
      waitFor(
        async () => (await posts(card)).findLast(({ text }) => text.includes(words)),
        (post): post is SlackMessage => post !== undefined,
        { what: `a message with "${words}" in the thread` },
      ),
    later: laterBy(clock),
    card: async ({ channel, ts }) =>
      (await slack.control.messages(channel)).find((message) => message.ts === ts)?.text ?? '',
    posts,
    restart: async () => {
      await service.stop();
      service = newService();
      await service.start();
    },
    apiDown,
    apiUp: async () => {
      api = await newApi(Number(new URL(api.baseUrl).port));
      closeApi = api.close;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
