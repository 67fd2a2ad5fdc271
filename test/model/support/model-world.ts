import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { type AgentApi, startAgentApi } from '../../support/agent-api/agent-api.ts';
import type { Script } from '../../support/agent-api/scripted-job.ts';
import type { SlackCall } from '../../support/fault-proxy/call.ts';
import { freePort } from '../../support/free-port.ts';
import { Watch } from '../../support/invariants/watch.ts';
import { noFiles } from '../../support/settings.ts';
import { startStrictSlack } from '../../support/strict-slack.ts';
import { startAgentFront } from './agent-front.ts';
import { PassingTime, type Surroundings } from './passing-time.ts';
import { createQuickFolder } from './quick-folder.ts';
import { Replicas } from './replicas.ts';
import { scene } from './scene.ts';
import { createSkippingClock } from './skipping-clock.ts';
import { Troubles } from './troubles.ts';

const PROJECT_ID = 'acme-docs';
const API_KEY = 'test-key';
/**
 * Before a start, and before Slack has its answer: the program waits for these in the machine's time, which the
 * model does not have.
 */
const UNTROUBLED = new Set(['auth.test', 'users.info']);
const START_MS = Date.UTC(2026, 10, 20, 8);

/** The whole program between a strict Slack and the stand-in agent API, with a clock that skips what is dull. */
export interface ModelWorld extends Surroundings, AsyncDisposable {
  readonly api: AgentApi;
  readonly time: PassingTime;
  /** All edits of cards that nothing went wrong with, but for limits. */
  readonly edits: readonly Edit[];
  readonly watch: Watch;
  /** Slack has a way to tell the program of actions, if it runs. */
  isReachable(): boolean;
  /** An agent job as the API describes it now. */
  describe(jobId: string): { readonly status: string; readonly prLink: string | null };
}

interface Edit {
  readonly call: SlackCall;
  readonly atMs: number;
}

export interface ModelWorldOptions {
  readonly mode: 'socket' | 'http';
  readonly script: Script;
  /** More than one needs a `DATABASE_URL`. Default: 1 */
  readonly replicas?: number;
  readonly settings?: Environment;
  /** Slack enforces its documented limits. Default: false */
  readonly hasLimits?: boolean;
}

/** Starts everything but the program itself. */
export async function startModelWorld(options: ModelWorldOptions): Promise<ModelWorld> {
  const resources = new AsyncDisposableStack();
  const clock = createSkippingClock(START_MS);
  const ports = await Promise.all(
    Array.from({ length: options.replicas ?? 1 }, () => (options.mode === 'http' ? freePort() : 0)),
  );
  const requestUrls = ports.map((port) => `http://127.0.0.1:${port}/slack/events`);
  const slack = resources.use(
    await startStrictSlack({
      clock: clock.outside,
      limits: options.hasLimits ?? false,
      app: options.mode === 'socket' ? { mode: 'socket' } : { mode: 'events', requestUrls },
    }),
  );
  const api = await startAgentApi({
    apiKey: API_KEY,
    projectId: PROJECT_ID,
    clock: clock.outside,
    script: options.script,
  });
  resources.defer(() => api.close());
  const agent = resources.use(await startAgentFront(api, clock.outside));
  const troubles = new Troubles(clock.outside);
  const edits: Edit[] = [];
  slack.onCall((call) => {
    if (UNTROUBLED.has(call.method)) return null;
    const fault = troubles.nextOfSlack(call);
    if (call.method === 'chat.update' && fault === null) {
      edits.push({ call, atMs: clock.outside.now() });
    }
    return fault;
  });
  agent.onCall((operation, jobId) => troubles.nextOfAgent(operation, jobId));
  const folder = resources.use(await createQuickFolder());

  const settings = ports.map(
    (port): Environment => ({
      SLACK_BOT_TOKEN: slack.botToken,
      ...(options.mode === 'socket'
        ? { SLACK_APP_TOKEN: slack.appToken }
        : { SLACK_SIGNING_SECRET: slack.signingSecret }),
      SLACK_API_URL: slack.apiUrl,
      AGENT_BASE_URL: agent.baseUrl,
      AGENT_API_KEY: API_KEY,
      AGENT_PROJECT_ID: PROJECT_ID,
      DATA_DIR: folder.path,
      NOTICE_CHANNELS: scene.noticeChannels.join(),
      HOST: '127.0.0.1',
      PORT: String(port),
      ...options.settings,
    }),
  );
  const { agent: limits, store } = parseConfig(settings[0] ?? {}, noFiles);
  const outside = () => [slack.happened, api.taken];
  const watch = resources.use(new Watch(store, { hourlyBudget: limits.hourlyBudget, outside }));
  resources.defer(() => watch.verify());
  const replicas = resources.use(new Replicas(settings, clock.program, () => time.helpAlong()));
  const around = { clock, slack, agent, troubles, replicas };
  const time = new PassingTime(around);

  return {
    ...around,
    api,
    time,
    edits,
    watch,
    isReachable: () => options.mode === 'http' || slack.socket.connections() > 0,
    describe: (jobId) => {
      const path = `/v2/agent/${PROJECT_ID}/job/${jobId}`;
      const { body } = api.take({ method: 'GET', path, authorization: `Bearer ${API_KEY}`, prompt: null });
      return body as { status: string; prLink: string | null };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
