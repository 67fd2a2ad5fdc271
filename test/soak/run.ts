import { setTimeout as pause } from 'node:timers/promises';
import { agentCalls, killHard, notices, startOutside } from '../crash/support/outside.ts';
import { answerQuestions } from '../crash/support/questions.ts';
import { AGAIN_AFTER_MS, LATER_TASKS } from '../crash/support/stage.ts';
import { readPostgres, readSqlite } from '../crash/support/store-reader.ts';
import { startStrictServer } from '../crash/support/strict-server.ts';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { withQuicker } from '../support/quicker.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { waitFor } from '../support/wait-for.ts';
import { choose, seededRandom } from './random.ts';

export interface SoakOptions {
  /** Two processes share a Postgres; only one may have an embedded store. */
  readonly database: 'sqlite' | 'postgres';
  readonly jobs: number;
  /** How many people ask for them, one after the other each. */
  readonly people: number;
  readonly kills: number;
  /** Makes the choices, though not the timing, the same again. */
  readonly seed: number;
  readonly note: (progress: string) => void;
}

const LIFE_MAX_MS = 5_000;
/** Between two faults, and two turns that the agent ends. */
const PACE_MS = 100;
/** Who waits longer goes away. */
const PATIENCE_MS = 60_000;
/** The tasks of a killed replica are free after 24 s, and threads are read one after the other to catch up. */
const END_WITHIN_MS = 15 * 60_000;
const QUIET_LOOKS = 10;

const FAULTS: readonly (readonly [share: number, fault: Fault])[] = [
  [4, { status: 500 }],
  [4, 'error_after'],
  [3, 'reset_before'],
  [3, 'reset_after'],
  [3, 'half_body'],
  [2, { status: 429, headers: { 'retry-after': '1' } }],
];
const METHODS = [
  'chat.postMessage',
  'chat.postMessage',
  'chat.update',
  'reactions.add',
  'conversations.history',
];
const LEFT = `select natural_key as words from call where ended_at is null
  union all select id from task where kind not in (${LATER_TASKS})`;

/**
 * People ask, reply, edit and press, while calls fail on both sides and processes are killed at random moments. Lets it
 * all come to its end, and returns what was broken on the way, or is then.
 */
export async function soak({ jobs, kills, note, ...options }: SoakOptions): Promise<readonly string[]> {
  const random = seededRandom(options.seed);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)];
  await using resources = new AsyncDisposableStack();
  const database = options.database === 'postgres' ? await createTestDatabase(testServerUrl ?? '') : null;
  resources.defer(() => database?.drop());
  const slack = await startStrictServer();
  const { control } = slack;
  const settings = {
    ...(database && { DATABASE_URL: database.url }),
    AGENT_TIMEOUT: '2s',
    AGENT_READS_PER_MINUTE: '100000',
    AGENT_HOURLY_BUDGET: '100000',
    SETTLE_WINDOW: '1s',
    NOTICE_CHANNELS: notices,
  };
  const outside = resources.use(await startOutside(settings, async () => slack));
  const reader = database === null ? readSqlite(outside.dataDir) : readPostgres(database);
  const launch = () => outside.launch({}, withQuicker('searches'));
  const start = async () => {
    const program = launch();
    await program.logged('started');
    return program;
  };
  const programs = [await start()];
  if (database !== null) programs.push(await start());
  const accepted: string[] = [];
  const endings: string[] = [];
  let asked = 0;
  let killed = 0;
  let areTold = false;

  const isHeard = (ts: string) =>
    slack
      .deliveries()
      .some(({ payload, acknowledgedAtMs }) => acknowledgedAtMs !== null && isMention(payload.event, ts));

  /** By a command or a mention. Null: nobody knows whether the request was kept. */
  async function ask(mark: string): Promise<SlackMessage | null> {
    const text = `Document ${mark}`;
    if (random() < 0.5) {
      const { acknowledged, payload } = await control.command({ channel: general, user: alice, text });
      if (!acknowledged || Object.keys(Object(payload)).length > 0) return null;
    } else {
      const mention = `<@${strictApp.botUserId}> ${text}`;
      const { ts } = await control.message({ channel: general, user: alice, text: mention });
      const isKept = await waitFor(() => isHeard(ts), true, { what: 'it', timeoutMs: PATIENCE_MS }).catch(
        () => false,
      );
      if (!isKept) return null;
    }
    accepted.push(mark);
    const isCard = ({ user, text: said }: SlackMessage) =>
      user === strictApp.botUserId && said.includes(mark) && said.includes('[Details]');
    const card = async () => (await control.messages(general)).find(isCard);
    const found = await waitFor(card, (seen) => seen !== undefined, {
      what: mark,
      timeoutMs: PATIENCE_MS,
    }).catch(() => null);
    return found ?? null;
  }

  /** A request and what is said in its thread. */
  async function tell(number: number): Promise<void> {
    const card = await ask(`part J${number}, please`);
    if (card === null) return;
    for (let reply = Math.floor(random() * 4); reply > 0; reply -= 1) {
      const words = `R${reply} of J${number}, please`;
      const threadTs = card.thread_ts ?? card.ts;
      const said = await control.message({ channel: general, user: bob, text: words, threadTs });
      accepted.push(words);
      await pause(random() * 3_000);
      if (random() < 0.3) await control.editMessage(said, `${words}, at last`);
    }
  }

  const people = Array.from({ length: options.people }, async () => {
    while (asked < jobs || killed < kills) {
      asked += 1;
      if (asked % 100 === 0) note(`${asked} jobs, ${killed} kills`);
      await tell(asked);
    }
  });

  async function kill(): Promise<void> {
    for (; killed < kills; killed += 1) {
      await pause(random() * LIFE_MAX_MS);
      const at = Math.floor(random() * programs.length);
      const program = programs[at];
      if (program?.ending) endings.push(`a process ended by itself: ${program.output()}`);
      if (program !== undefined) await killHard(program);
      // Half of them may die while they start.
      programs[at] = random() < 0.5 ? await start() : launch();
    }
  }

  /** One in twenty calls. */
  async function fail(): Promise<void> {
    const { proxy, agentProxy, api } = outside;
    let planned = 0;
    for (; !areTold; await pause(PACE_MS)) {
      for (; planned < (proxy.calls().length + api.counts.create) / 20; planned += 1) {
        const fault = choose(random, FAULTS);
        const job = pick(api.jobs);
        if (random() < 0.7) proxy.fail(pick(METHODS) ?? '', fault);
        else agentProxy.fail(job && random() < 0.5 ? agentCalls.messageTo(job.id) : agentCalls.create, fault);
      }
    }
  }

  let isOver = false;
  async function work(): Promise<void> {
    for (let link = 1; !isOver; await pause(PACE_MS)) {
      const busy = outside.api.jobs.filter(({ endsAtMs }) => endsAtMs.at(-1) === Number.POSITIVE_INFINITY);
      for (const { id } of busy.filter(() => random() < 0.1)) {
        const status = random() < 0.1 ? 'failed' : 'completed';
        link += 1;
        const isLinked = status === 'completed' && random() < 0.7;
        outside.api.finish(id, {
          status,
          ...(isLinked && { prLink: `https://github.com/acme/docs/pull/${link}` }),
        });
      }
    }
  }

  const press = async (message: SlackMessage, button: string) => {
    while (!isOver && !(await control.press(message, button, alice)).acknowledged)
      await pause(AGAIN_AFTER_MS);
  };
  const answers = resources.use(answerQuestions(outside, { press }));
  const working = work();
  const failing = fail();
  await Promise.all([...people, kill()]);
  areTold = true;
  await failing;
  note(`${asked} jobs and ${killed} kills; now they come to their end`);
  // What Slack did not deliver is found at a start.
  for (const program of programs) await killHard(program);
  for (const at of programs.keys()) programs[at] = await start();

  let quiet = 0;
  const isQuiet = async () => {
    quiet = (await reader.query(LEFT)).length === 0 ? quiet + 1 : 0;
    await pause(PACE_MS);
    return quiet >= QUIET_LOOKS;
  };
  const left = await waitFor(isQuiet, true, { what: 'the end', timeoutMs: END_WITHIN_MS }).catch(String);
  isOver = true;
  await working;
  await answers[Symbol.asyncDispose]();
  const broken = await outside.brokenAtRest(accepted);
  return [
    ...endings,
    ...(left === true ? [] : [`${left}: ${JSON.stringify(await reader.query(LEFT))}`]),
    ...broken,
  ];
}

function isMention(event: unknown, ts: string): boolean {
  const { type, ts: atTs } = (event ?? {}) as { readonly type?: string; readonly ts?: string };
  return type === 'app_mention' && atTs === ts;
}
