import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/runtime/clock.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { readPostgres, readSqlite, type StoreReader } from '../../crash/support/store-reader.ts';
import { startDatabaseProxy } from '../../replicas/support/database-proxy.ts';
import { type AgentApi, startAgentApi } from '../../support/agent-api/agent-api.ts';
import type { Script } from '../../support/agent-api/scripted-job.ts';
import type { AgentEnds, Rest } from '../../support/invariants/at-rest.ts';
import { notesOfCommits } from '../../support/invariants/watch.ts';
import { alice, bob, random as noticeChannel } from '../../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../../support/postgres.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import { type StrictSlack, startStrictSlack } from '../../support/strict-slack.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import type { StoryPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import { type AgentFront, startAgentFront } from './agent-front.ts';
import { scriptedAgent } from './agent-script.ts';
import { copiesOf } from './copies.ts';
import type { DatabaseNetwork } from './disturbances.ts';
import { hookSecret, MARK, recipeOf } from './elsewhere.ts';
import { agentFaultSource, type FaultSource, slackFaultSource } from './faults.ts';
import { BOT, type Fleet, startFleet } from './fleet.ts';
import { oddAnswers } from './odd-answers.ts';
import { type RunnerSide, startRunnerSide } from './runner-side.ts';
import { type SecondProgram, secondProgram } from './second-program.ts';

const PROJECT_ID = 'acme-docs';
const API_KEY = 'test-key';
/** So that nothing waits for the next hour. */
const HOURLY_BUDGET = 100_000;

/** They are stepped by 20 s, one forward and one back. */
const CLOCKS_DIFFER_MS = 45_000;

const { botUserId } = strictApp;

export type DatabaseKind = 'sqlite' | 'postgres';

/** Two processes share a Postgres; only one may have an embedded store. */
export const replicasOn: Readonly<Record<DatabaseKind, number>> = { sqlite: 1, postgres: 2 };

/** The program, and all that is outside of it and goes wrong. Time is real. */
export interface SoakWorld extends AsyncDisposable {
  readonly slack: StrictSlack;
  /** Where people are with the bot. */
  readonly channels: readonly string[];
  /** Who ask for jobs, besides Alice and Bob. */
  readonly people: readonly string[];
  readonly front: AgentFront;
  readonly fleet: Fleet;
  /** The real runner, if it serves the agent API. */
  readonly runner: RunnerSide | null;
  readonly second: SecondProgram;
  readonly databaseNetwork: DatabaseNetwork | null;
  readonly faults: Readonly<
    Record<'slack' | 'agent' | 'answers', Pick<FaultSource<unknown>, 'count' | 'begin' | 'end'>>
  >;
  /** How many copies of requests were delivered beyond the first. */
  readonly extraCopies: () => number;
  /** How many turns the agent took up late. */
  readonly lateTurns: () => number;
  /** The agent jobs as the API describes them now. */
  agentJobs(): Promise<AgentEnds>;
  /** How many calls the program's ledger has as unknown. */
  unknownCalls(): Promise<number>;
  /** What the program still has to do, and what of `accepted` it does not know, in words. */
  missing(accepted: readonly string[]): Promise<readonly string[]>;
  /** The invariants that were broken, each with its story. */
  broken(rest: Rest): readonly string[];
  /** When the program last changed something outside. */
  lastDeedAtMs(): number;
}

export interface WorldOptions {
  readonly database: DatabaseKind;
  readonly random: Random;
  readonly channels: number;
  readonly people: number;
  /** Those that a webhook starts need a recipe. */
  readonly plans: readonly StoryPlan[];
  /** The real runner takes the place of the stand-in. */
  readonly withRunner: boolean;
  /** So often a reply is delivered a minute late. */
  readonly lateShare: number;
}

/** Resolves when the program has started; nothing goes wrong until its faults begin. */
export async function startSoakWorld(options: WorldOptions): Promise<SoakWorld> {
  const { database, random } = options;
  await using started = new AsyncDisposableStack();
  const slackFaults = slackFaultSource(random);
  const agentFaults = agentFaultSource(random);
  const slack = started.use(await startStrictSlack({ clock: systemClock, app: { mode: 'socket' } }));
  slack.control.invite(noticeChannel, botUserId);
  const channels = Array.from({ length: options.channels }, (_, index) => `C0SOAK${index + 1}`);
  const people = Array.from({ length: options.people }, (_, index) => `U0SOAK${index + 1}`);
  for (const id of people) slack.control.addUser({ id, name: id.toLowerCase() });
  const members = [alice, bob, ...people, botUserId];
  for (const id of channels) slack.control.openChannel({ id, name: id.toLowerCase(), members });
  const agent = scriptedAgent(random);
  const runner = options.withRunner ? await startRunnerSide(started) : null;
  const api = runner ?? (await startStandIn(agent.script, started));
  const answers = oddAnswers(random);
  const front = started.use(
    await startAgentFront(
      api.baseUrl,
      () => agentFaults.next(),
      (exchange) => (runner === null ? answers.distort(exchange) : exchange),
    ),
  );
  let lastSlackDeedAtMs = 0;
  slack.onCall(({ method }) => {
    if (CHANGES.has(method)) lastSlackDeedAtMs = Date.now();
    return slackFaults.next();
  });
  const copies = copiesOf(random, options.lateShare);
  slack.onDelivery(copies.next);
  slack.control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  const store = await startStore(database, started);
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: front.baseUrl,
    AGENT_API_KEY: api.apiKey,
    AGENT_PROJECT_ID: api.project,
    AGENT_TIMEOUT: '2s',
    AGENT_READS_PER_MINUTE: '100000',
    NOTICE_CHANNELS: noticeChannel,
    POLL_MIN_INTERVAL: '500ms',
    POLL_MAX_INTERVAL: '2s',
    FOLLOW_UP_WINDOW: '300ms',
    // Longer than clocks are wrong, as in life: a clock 20 s ahead believes the state of the turn before.
    SETTLE_WINDOW: '25s',
    HOST: '127.0.0.1',
    AGENT_HOURLY_BUDGET: String(HOURLY_BUDGET),
  };
  const ofFleet = {
    DOCS_AGENT_CONFIG: await writeConfig(options.plans, channels, started),
    HOOK_SECRET: hookSecret,
    ...store.settings,
  };
  const second = secondProgram(slack, settings, random);
  const notesDir = started.use(await createTempDir());
  const notes = notesOfCommits(join(notesDir.path, 'notes'), {
    hourlyBudget: HOURLY_BUDGET,
    clocksDifferMs: CLOCKS_DIFFER_MS,
    // The real runner notes nothing.
    outside: () => ('taken' in api ? [slack.happened, api.taken] : [slack.happened]),
  });
  const env = { ...settings, ...ofFleet, ...notes.env };
  const fleet = started.use(await startFleet(replicasOn[database], env, BOT, notes.nodeArgs));
  const resources = started.move();
  return {
    slack,
    channels,
    people,
    front,
    fleet,
    second,
    runner,
    databaseNetwork: store.network,
    faults: { slack: slackFaults, agent: agentFaults, answers },
    extraCopies: copies.extra,
    lateTurns: agent.lateTurns,
    agentJobs: api.agentJobs,
    unknownCalls: async () =>
      (await store.reader.query("select id from call where state = 'unknown'")).length,
    missing: async (accepted) => {
      const texts = (await store.reader.query(STORED)).map(({ text }) => String(text)).join('\n');
      const left = (await store.reader.query(LEFT)).map(({ words }) => String(words));
      return [...accepted.filter((words) => !texts.includes(words)), ...left];
    },
    broken: notes.violations,
    lastDeedAtMs: () => Math.max(lastSlackDeedAtMs, front.lastWriteAtMs()),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const CHANGES = new Set([
  'chat.postMessage',
  'chat.update',
  'reactions.add',
  'reactions.remove',
  'response_url',
]);

const STORED = 'select data as text from job union all select text from follow_up';
/** But for what is planned for a later day, or by the clock. */
const LEFT = `select natural_key || ' is ' || state as words from call where ended_at is null
  union all select id from task
  where kind not in ('check_ended_job', 'forget_step_token', 'start_recipe', 'post_digest', 'expire_draft')`;

/** Lets jobs be started from elsewhere. Returns the path of the file. */
async function writeConfig(
  plans: readonly StoryPlan[],
  channels: readonly string[],
  resources: AsyncDisposableStack,
): Promise<string> {
  const recipes = plans.flatMap(({ number, way, prompt }) => {
    const channel = channels[number % channels.length];
    if (way !== 'webhook') return [];
    return { name: recipeOf(number), channel, request: prompt, webhook: { secret_env: 'HOOK_SECRET' } };
  });
  const config = {
    channels: Object.fromEntries(channels.map((id) => [id, { reaction: MARK }])),
    workflows: { channels },
    recipes,
  };
  const folder = resources.use(await createTempDir());
  const path = join(folder.path, 'docs-agent.yml');
  await writeFile(path, stringify(config));
  return path;
}

interface WorldStore {
  readonly settings: Readonly<Record<string, string>>;
  readonly network: DatabaseNetwork | null;
  readonly reader: StoreReader;
}

async function startStore(database: DatabaseKind, resources: AsyncDisposableStack): Promise<WorldStore> {
  if (database === 'sqlite') {
    const folder = resources.use(await createTempDir());
    return { settings: { DATA_DIR: folder.path }, network: null, reader: readSqlite(folder.path) };
  }
  if (testServerUrl === undefined) throw new Error('there is no Postgres: TEST_DATABASE_URL is not set');
  const created = await createTestDatabase(testServerUrl);
  resources.defer(created.drop);
  const network = resources.use(await startDatabaseProxy(created.url));
  return { settings: { DATABASE_URL: network.url }, network, reader: readPostgres(created) };
}

async function startStandIn(
  script: Script,
  resources: AsyncDisposableStack,
): Promise<Pick<RunnerSide, 'baseUrl' | 'apiKey' | 'project' | 'agentJobs'> & Pick<AgentApi, 'taken'>> {
  const access = { apiKey: API_KEY, projectId: PROJECT_ID };
  const api = await startAgentApi({ ...access, clock: systemClock, script });
  resources.defer(() => api.close());
  const { baseUrl } = api;
  return {
    baseUrl,
    apiKey: API_KEY,
    project: PROJECT_ID,
    agentJobs: () => readAgentJobs(api),
    taken: api.taken,
  };
}

type AgentJobEnd = NonNullable<ReturnType<AgentEnds['get']>>;

async function readAgentJobs(api: AgentApi): Promise<AgentEnds> {
  const ends = new Map<string, AgentJobEnd>();
  for (const { id } of api.jobs) {
    const response = await fetch(`${api.baseUrl}/v2/agent/${PROJECT_ID}/job/${id}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    ends.set(id, (await response.json()) as AgentJobEnd);
  }
  return ends;
}
