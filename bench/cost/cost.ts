import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testServerUrl } from '../../test/support/postgres.ts';
import { referencePath } from '../support/build.ts';
import { type RunningProcess, slackApp, startNode, startProgram } from '../support/processes.ts';
import { type BenchSettings, type Figures, type Round, takeTurns } from '../support/rounds.ts';
import { type Bench, compare, type Row, type Target } from '../support/rows.ts';
import { channelIds } from '../support/slack-traffic.ts';
import { type BenchStore, createPostgresStore, createSqliteStore } from '../support/stores.ts';
import { Driver, type Pace } from './drive.ts';
import { type Lives, NOTICE_CHANNEL, startLives } from './lives.ts';

/** The last of them finds the pull request. */
const READS = 8;
const REFERENCE = 'bare script';
const TIME = 'processor time';
const CALLS = 'calls to Slack';

interface Size {
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly pace: Pace;
  /** Of the program and of the script. */
  readonly env: Readonly<Record<string, string>>;
}

/** By the program's own times: it reads each 2 s, and a reply waits 4 s for others. At a pace that leaves it idle at times. */
const LONG: Size = {
  jobs: 1_000,
  warmUpJobs: 100,
  pace: { commandEveryMs: 30, replyAfterMs: 4_000 },
  env: {},
};
const QUICK: Size = {
  jobs: 30,
  warmUpJobs: 0,
  pace: { commandEveryMs: 10, replyAfterMs: 300 },
  env: { POLL_MIN_INTERVAL: '200ms', FOLLOW_UP_WINDOW: '300ms', READ_EVERY_MS: '200' },
};

/** The program takes no more. */
const PROJECTS = 100;

export const cost: Bench = {
  about: `Processor time (user and system) of the process, and calls to Slack, for each of ${LONG.jobs.toLocaleString('en')} whole jobs: a command, its card, the agent job, a reply, ${READS} reads, a pull request, a notice. The bare script (Bolt, undici) makes the calls whose results people see, and stores nothing.`,
  run: async (settings) => {
    const size = settings.quick ? QUICK : LONG;
    const stores = [
      { name: 'SQLite', create: createSqliteStore, target: { atMost: 2.5 } },
      ...(testServerUrl === undefined
        ? []
        : [{ name: 'Postgres', create: createPostgresStore, target: { atMost: 4 } }]),
    ];
    const script = { name: REFERENCE, measure: () => measure(size, (lives) => startScript(lives, size)) };
    const ours = stores.map(({ name, create }) => ({
      name,
      measure: async () => {
        await using store = await create();
        if (store === null) throw new Error('TEST_DATABASE_URL names no server');
        return await measure(size, (lives) => startOurs(lives, store, settings, size));
      },
    }));
    // Each turn warms its own process up.
    const rounds = await takeTurns([script, ...ours], { ...settings, warmUpRounds: 0 });
    return stores.flatMap(({ name, target }) => [timeRow(rounds, name, target), ...callRows(rounds, name)]);
  },
};

async function measure(
  { jobs, warmUpJobs, pace }: Size,
  start: (lives: Lives) => Promise<RunningProcess>,
): Promise<Figures> {
  await using lives = await startLives((number) => (number <= warmUpJobs ? 1 : READS));
  await using process = await start(lives);
  const driver = new Driver(lives, process, pace);
  if (warmUpJobs > 0) await driver.live(warmUpJobs);
  const spentMs = await process.processorMs();
  const calledBefore = { ...lives.slackCalls };
  await driver.live(jobs);
  const called = Object.entries(lives.slackCalls).map(
    ([method, count]) => [method, (count - (calledBefore[method] ?? 0)) / jobs] as const,
  );
  const figures = {
    [TIME]: ((await process.processorMs()) - spentMs) / jobs,
    [CALLS]: called.reduce((sum, [, count]) => sum + count, 0),
    ...Object.fromEntries(called),
  };
  await process.stop();
  return figures;
}

function startScript({ slackApiUrl, agentBaseUrl }: Lives, { env }: Size): Promise<RunningProcess> {
  return startNode([referencePath('bare-jobs')], {
    SLACK_BOT_TOKEN: slackApp.botToken,
    SLACK_SIGNING_SECRET: slackApp.signingSecret,
    SLACK_API_URL: slackApiUrl,
    AGENT_BASE_URL: agentBaseUrl,
    NOTICE_CHANNELS: NOTICE_CHANNEL,
    ...env,
  });
}

/** A project of its own for each channel: one takes a hundred creates and messages an hour. */
async function startOurs(
  lives: Lives,
  { dataDir, env }: BenchStore,
  settings: BenchSettings,
  size: Size,
): Promise<RunningProcess> {
  const config = join(dataDir, 'bench.yml');
  const projects = channelIds.slice(0, PROJECTS).map((channelId) => ({ id: `docs-of-${channelId}` }));
  const channels = channelIds.map((channelId, index) => [
    channelId,
    { project: projects[index % PROJECTS]?.id },
  ]);
  await writeFile(config, JSON.stringify({ projects, channels: Object.fromEntries(channels) }));
  const more = {
    NOTICE_CHANNELS: NOTICE_CHANNEL,
    DOCS_AGENT_CONFIG: config,
    AGENT_PROJECT_ID: projects[0]?.id ?? '',
  };
  return startProgram({ settings, standIns: lives, dataDir, env: { ...more, ...env, ...size.env } });
}

function timeRow(rounds: readonly Round[], name: string, target: Target): Row {
  return compare(rounds, {
    label: `${name}: processor time`,
    unit: 'ms a job',
    ours: [name, TIME],
    reference: [REFERENCE, TIME],
    target,
  });
}

/** Of all methods, and of each. */
function callRows(rounds: readonly Round[], name: string): Row[] {
  const names = rounds.flatMap((round) => [...round.values()].flatMap(Object.keys));
  const methods = [...new Set(names)].filter((figure) => figure !== TIME && figure !== CALLS).sort();
  // Who never calls a method has no figure for it.
  const none = Object.fromEntries(methods.map((method) => [method, 0]));
  const whole = rounds.map(
    (round) => new Map([...round].map(([contender, figures]) => [contender, { ...none, ...figures }])),
  );
  return [CALLS, ...methods].map((figure) =>
    compare(whole, {
      label: `${name}: ${figure}`,
      unit: 'a job',
      ours: [name, figure],
      reference: [REFERENCE, figure],
      by: 'difference',
    }),
  );
}
