import { join } from 'node:path';
import { localApp } from '../../../demo/local-slack/workspace.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { type AgentApi, startAgentApi } from '../../support/agent-api/agent-api.ts';
import type { Capability } from '../../support/agent-api/scripted-job.ts';
import { type ChildEnv, type ChildProgram, runProgram } from '../../support/child-program.ts';
import { type CodeHost, startCodeHost } from '../../support/code-host/code-host.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import type { Noted } from '../../support/invariants/elle.ts';
import { notesOfCommits, refuse } from '../../support/invariants/watch.ts';
import {
  alice,
  bob,
  general,
  type SlackControl,
  type SlackMessage,
  startTestSlack,
  testWorkspace,
} from '../../support/local-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A channel for notices; the bot is in it. */
export const notices = 'C0NOTICES';
const workspace = {
  ...testWorkspace,
  channels: [
    ...testWorkspace.channels,
    { id: notices, name: 'notices', members: [alice, bob, localApp.botUserId] },
  ],
};

/** The agent does not accept it. */
export const REFUSED_PROMPT = 'Improve all of it';
export const PROJECT_ID = 'acme-docs';
export const API_KEY = 'test-key';
const CODE_HOST_TOKEN = 'token-of-the-tests';
/** The methods under which the agent API's proxy knows its calls. */
export const agentCalls = {
  create: `/v2/agent/${PROJECT_ID}/job`,
  messageTo: (agentJobId: string) => `/v2/agent/${PROJECT_ID}/job/${agentJobId}/message`,
} as const;

/** A Slack that people can act in. */
export interface SlackServer extends AsyncDisposable {
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly control: SlackControl;
  /** Where people and the program write: channels, and people in place of their direct messages. */
  readonly places: readonly string[];
}

/** All that is outside of the program, and outlives its processes. Time is real. */
export interface Outside extends AsyncDisposable {
  readonly api: AgentApi;
  readonly slack: SlackControl;
  /** Where people and the program write: channels, and people in place of their direct messages. */
  readonly places: readonly string[];
  /** Between the program and Slack. */
  readonly proxy: FaultProxy;
  /** Between the program and the agent API. */
  readonly agentProxy: FaultProxy;
  readonly codeHost: CodeHost;
  /** The settings of the program. */
  readonly env: ChildEnv;
  /** Where the embedded store is. */
  readonly dataDir: string;
  /** Starts a process of the program on the same store as all the others, and waits until it has started. */
  start(): Promise<ChildProgram>;
  /** The same without the wait, and with settings of its own. */
  launch(settings: ChildEnv, nodeArgs: readonly string[]): ChildProgram;
  /** All messages of the channel, oldest first. */
  messages(): Promise<readonly SlackMessage[]>;
  /** Waits for the card. */
  card(): Promise<SlackMessage>;
  /** Waits for a message in the thread that contains the words. */
  messageSeen(words: string): Promise<SlackMessage>;
  /** Waits until what is read satisfies the predicate. */
  until<T>(read: () => T | Promise<T>, predicate: (value: T) => boolean, what: string): Promise<T>;
  /**
   * Waits until nothing is left to do or to be shown; fails by what is broken.
   * @param accepted words of requests and replies that are kept
   */
  isAtRest(accepted: readonly string[]): Promise<void>;
  /** What happened so far. */
  noted(): Promise<Noted>;
  /** What is broken now. */
  brokenAtRest(accepted: readonly string[]): Promise<readonly string[]>;
  /** Ends the turn of the newest agent job with a pull request. */
  finish(prLink: string): void;
}

/**
 * `settings` are added to those for a local Slack, a stand-in agent API, and a store in a folder.
 * @param startSlack another Slack
 * @param announces what the agent API offers besides the seed
 */
export async function startOutside(
  settings: ChildEnv = {},
  startSlack: () => Promise<SlackServer> = startLocalSlack,
  announces: readonly Capability[] = [],
): Promise<Outside> {
  const resources = new AsyncDisposableStack();
  const slack = resources.use(await startSlack());
  const proxy = await startFaultProxy({ target: slack.apiUrl });
  resources.defer(() => proxy.close());
  const api = await startAgentApi({
    apiKey: API_KEY,
    projectId: PROJECT_ID,
    clock: systemClock,
    announces,
    script: (prompt) => ({
      workMs: 0,
      ending: 'manual',
      ...(prompt === REFUSED_PROMPT && { refusal: 'This is too vague.' }),
    }),
  });
  resources.defer(() => api.close());
  const agentProxy = await startFaultProxy({ target: api.baseUrl });
  resources.defer(() => agentProxy.close());
  const codeHost = await startCodeHost({ token: CODE_HOST_TOKEN, clock: systemClock });
  resources.defer(() => codeHost.close());
  const dataDir = await createTempDir();
  resources.defer(() => dataDir.remove());

  const notesDir = await createTempDir();
  resources.defer(() => notesDir.remove());
  const notes = notesOfCommits(join(notesDir.path, 'notes'), {
    hourlyBudget: Number(settings.AGENT_HOURLY_BUDGET ?? 100),
    outside: () => [proxy.happened, api.taken],
  });
  /** Only what is launched here notes its commits. */
  let isLaunched = false;
  let isJudged = false;
  // When all processes have ended.
  resources.defer(() => {
    if (isLaunched && !isJudged) refuse(notes.violations());
  });

  const env: ChildEnv = {
    ...notes.env,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: proxy.apiUrl,
    AGENT_BASE_URL: new URL(agentProxy.apiUrl).origin,
    AGENT_API_KEY: API_KEY,
    AGENT_PROJECT_ID: PROJECT_ID,
    GITHUB_TOKEN: CODE_HOST_TOKEN,
    GITHUB_WEB_URL: codeHost.webUrl,
    GITHUB_API_URL: codeHost.githubApiUrl,
    DATA_DIR: dataDir.path,
    HOST: '127.0.0.1',
    PORT: '0',
    POLL_MIN_INTERVAL: '100ms',
    POLL_MAX_INTERVAL: '200ms',
    FOLLOW_UP_WINDOW: '200ms',
    ...settings,
  };
  const messages = () => slack.control.messages(general);
  const find = (what: string, matches: (message: SlackMessage) => boolean) =>
    waitFor(
      async () => (await messages()).find(matches),
      (message): message is SlackMessage => message !== undefined,
      { what },
    );
  const everywhere = async () =>
    (await Promise.all(slack.places.map((place) => slack.control.messages(place)))).flat();
  const brokenAtRest = async (accepted: readonly string[]) => {
    isJudged = true;
    return notes.violations({ messages: await everywhere(), accepted });
  };
  const launch = (own: ChildEnv, nodeArgs: readonly string[]) => {
    isLaunched = true;
    return resources.use(runProgram(['start'], { ...env, ...own }, [...notes.nodeArgs, ...nodeArgs]));
  };
  return {
    api,
    slack: slack.control,
    places: slack.places,
    proxy,
    agentProxy,
    codeHost,
    env,
    dataDir: dataDir.path,
    launch,
    start: async () => {
      const program = launch({}, []);
      await program.logged('started');
      return program;
    },
    messages,
    card: () => find('the card', ({ thread_ts }) => thread_ts === undefined),
    messageSeen: (words) =>
      find(
        `a message with "${words}"`,
        ({ text, thread_ts }) => thread_ts !== undefined && text.includes(words),
      ),
    until: (read, predicate, what) => waitFor(read, predicate, { what }),
    noted: async () => ({ steps: notes.steps(), messages: await everywhere() }),
    brokenAtRest,
    isAtRest: async (accepted) => {
      await waitFor(
        () => brokenAtRest(accepted),
        ({ length }) => length === 0,
        { what: 'nothing to be left' },
      );
    },
    finish: (prLink) => {
      const job = api.jobs.at(-1);
      if (job === undefined) throw new Error('there is no agent job');
      api.finish(job.id, { status: 'completed', prLink });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function startLocalSlack(): Promise<SlackServer> {
  const slack = await startTestSlack(workspace);
  const places = workspace.channels.map(({ id }) => id);
  return { ...slack, places, [Symbol.asyncDispose]: () => slack.stop() };
}

/** Ends the process as a power cut would: without a chance to do anything. */
export async function killHard(program: ChildProgram): Promise<void> {
  program.kill('SIGKILL');
  await program.exit;
}

/** What the program says at `/readyz`. */
export async function readiness(program: ChildProgram): Promise<{ status: number; body: string }> {
  const { port } = await program.logged('started');
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: response.status, body: await response.text() };
}
