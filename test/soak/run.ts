import { setTimeout as pause } from 'node:timers/promises';
import { alice, bob } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { countByHand, differences } from './model/counts.ts';
import type { Finding, StoryEvidence } from './model/evidence.ts';
import { judgeStory } from './model/judge.ts';
import { planStories } from './plan.ts';
import { seededRandom } from './random.ts';
import { createButtonPressers } from './world/button-pressers.ts';
import { watchChannels } from './world/channel-watch.ts';
import { disturb } from './world/disturbances.ts';
import { gather } from './world/gather.ts';
import { liveStories } from './world/people.ts';
import { killAtRandom } from './world/random-killer.ts';
import { type DatabaseKind, HOURLY_BUDGET, replicasOn, startSoakWorld } from './world/world.ts';

const LOOK_INTERVAL_MS = 2_000;
/** Slack takes a message a second in a channel; no channel is busier for long. */
const STORIES_PER_CHANNEL = 5;
const NOTE_INTERVAL_MS = 30_000;

export interface RunOptions {
  readonly database: DatabaseKind;
  /** How many at most; with `kills`, they end with the last kill. */
  readonly stories: number;
  /** How many go on at a time. */
  readonly atOnce: number;
  /** How often a process is killed. */
  readonly kills: number;
  /** The real runner serves the agent API. It and the program are killed in turns until all stories are told. */
  readonly withRunner: boolean;
  /** Makes the choices, though not the timing, the same again. */
  readonly seed: number;
  /** So often a reply is delivered a minute late. */
  readonly lateShare: number;
  /** Whether processes are frozen, their clocks stepped, and the network to the database silenced. */
  readonly isDisturbed: boolean;
  /** How long nothing may change any more until it is taken for the end. */
  readonly quietMs: number;
  /** How long what is missing is waited for. */
  readonly patienceMs: number;
  readonly note: (progress: string) => void;
}

export interface RunResult {
  readonly options: RunOptions;
  readonly durationMs: number;
  readonly stories: readonly StoryEvidence[];
  /** What `docs-agent report` says otherwise than the count by hand. */
  readonly miscounts: readonly string[];
  /** How many calls the ledger has as unknown. */
  /** The invariants that were broken, each with its story. */
  readonly broken: readonly string[];
  readonly unknownCalls: number;
  /** How many processes were killed. */
  readonly killed: number;
  /** Of the stories in which something is not as it must be. */
  readonly findings: ReadonlyMap<StoryEvidence, readonly Finding[]>;
  readonly slackCalls: ReadonlyMap<string, number>;
  readonly slackFaults: ReadonlyMap<string, number>;
  readonly agentCalls: ReadonlyMap<string, number>;
  readonly agentFaults: ReadonlyMap<string, number>;
  readonly oddAnswers: ReadonlyMap<string, number>;
  readonly extraCopies: number;
  readonly lateTurns: number;
  readonly disturbances: ReadonlyMap<string, number>;
  /** How many deliveries a second program with the same tokens did not acknowledge. */
  readonly leftBySecond: number;
  /** How processes ended that were not killed. */
  readonly endings: readonly string[];
  readonly runnerEndings: readonly string[];
  /** What each process printed. */
  readonly outputs: readonly string[];
}

/** Has people work with the program while things go wrong, lets everything finish, and judges it. */
export async function run(options: RunOptions): Promise<RunResult> {
  const { database, seed, kills, note } = options;
  const startedAtMs = Date.now();
  const { withRunner } = options;
  const plans = planStories(seededRandom(seed), options.stories, withRunner);
  await using world = await startSoakWorld({
    database,
    random: seededRandom(seed + 1),
    lateShare: options.lateShare,
    channels: Math.ceil(options.atOnce / STORIES_PER_CHANNEL),
    people: options.atOnce,
    plans,
    withRunner,
  });
  const { slack, channels, people, front, fleet, runner, second, faults } = world;
  const places = [...channels, ...people];
  const pressers = createButtonPressers(slack, seededRandom(seed + 2));
  await using watch = watchChannels({
    slack: slack.control,
    channels: places,
    people: [alice, bob, ...people],
    onPost: pressers.consider,
  });

  for (const side of Object.values(faults)) side.begin();
  let isKilling = kills > 0;
  let areTold = false;
  const killing = killAtRandom({
    fleet,
    replicas: replicasOn[database],
    runner: runner?.fleet ?? null,
    goesOn: (killed) => (withRunner ? !areTold : killed < kills),
    random: seededRandom(seed + 3),
    note,
  }).finally(() => {
    isKilling = false;
  });
  const disturbances = options.isDisturbed
    ? disturb({
        fleet,
        replicas: replicasOn[database],
        slack,
        channels,
        refuseRead: front.refuseRead,
        visit: second.visit,
        databaseNetwork: world.databaseNetwork,
        random: seededRandom(seed + 4),
      })
    : null;
  const goesOn = () => kills === 0 || isKilling;
  const answers = await liveStories(plans, {
    slack,
    ports: fleet.ports,
    watch,
    channels,
    people,
    goesOn,
    note,
  });
  areTold = true;
  const [killed] = await Promise.all([killing, disturbances?.stop()]);
  await runner?.fleet.started(0);
  for (const side of Object.values(faults)) side.end();
  note(
    `${answers.asked.length} stories were told after ${seconds(startedAtMs)}; now they come to their ends`,
  );

  const stories = await theEnd();
  await pressers.stop();
  const times = {
    shownAtMs: world.shownAtMs,
    clockErrorMs: disturbances?.clockErrorMs ?? (() => 0),
  };
  const byHand = countByHand({ stories, plans, times, hourlyBudget: HOURLY_BUDGET });
  note(`the end after ${seconds(startedAtMs)}`);
  return {
    options,
    durationMs: Date.now() - startedAtMs,
    stories,
    miscounts: differences(await world.report(), byHand),
    findings: judgeAll(stories),
    broken: world.broken(),
    unknownCalls: await world.unknownCalls(),
    killed,
    slackCalls: countsBy(slack.calls(), ({ method }) => method),
    slackFaults: faults.slack.counts,
    agentCalls: front.counts,
    agentFaults: faults.agent.counts,
    oddAnswers: faults.answers.counts,
    extraCopies: world.extraCopies(),
    lateTurns: [...world.lateTurns.values()].reduce((total, count) => total + count, 0),
    disturbances: disturbances?.counts ?? new Map(),
    leftBySecond: second.left(),
    endings: [...fleet.endings, ...second.endings],
    runnerEndings: runner?.fleet.endings ?? [],
    outputs: [...fleet.outputs(), ...(runner?.fleet.outputs() ?? []), ...second.outputs()],
  };

  /** Waits until nothing is missing any more, and then until nothing changes any more. */
  async function theEnd(): Promise<readonly StoryEvidence[]> {
    const untilMs = Date.now() + options.patienceMs;
    let noteAtMs = Date.now() + NOTE_INTERVAL_MS;
    for (;;) {
      const evidence = await gather({
        plans,
        answers,
        slack,
        channels: places,
        botUserId: strictApp.botUserId,
        attempts: front.attempts,
        agentJobs: await world.agentJobs(),
        pressed: pressers.pressed,
        flaps: world.flaps,
        lateTurns: world.lateTurns,
        work: (await runner?.work()) ?? null,
      });
      const isQuiet = Date.now() - world.lastDeedAtMs() > options.quietMs;
      const missing = [...judgeAll(evidence)].flatMap(([{ asked }, findings]) =>
        findings.filter(({ kind }) => kind === 'lost').map(({ what }) => `J${asked.story}: ${what}`),
      );
      if ((isQuiet && missing.length === 0) || Date.now() > untilMs) return evidence;
      if (Date.now() > noteAtMs) {
        note(`${missing.length} missing so far: ${missing.slice(0, 5).join('; ')}`);
        noteAtMs += NOTE_INTERVAL_MS;
      }
      await pause(LOOK_INTERVAL_MS);
    }
  }
}

function judgeAll(stories: readonly StoryEvidence[]): Map<StoryEvidence, readonly Finding[]> {
  const judged = stories.map((story) => [story, judgeStory(story)] as const);
  return new Map(judged.filter(([, findings]) => findings.length > 0));
}

function countsBy<T>(things: readonly T[], nameOf: (thing: T) => string): Map<string, number> {
  const groups = Map.groupBy(things, nameOf);
  return new Map([...groups].map(([name, group]) => [name, group.length]));
}

function seconds(sinceMs: number): string {
  return `${Math.round((Date.now() - sinceMs) / 1000)} s`;
}
