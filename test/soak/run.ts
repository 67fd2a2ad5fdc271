import { setTimeout as pause } from 'node:timers/promises';
import { alice, bob, random as noticeChannel } from '../support/local-slack.ts';
import { planStories } from './plan.ts';
import { seededRandom } from './random.ts';
import { acknowledgements, asksForJob } from './world/acknowledged.ts';
import { createButtonPressers } from './world/button-pressers.ts';
import { watchChannels } from './world/channel-watch.ts';
import { disturb } from './world/disturbances.ts';
import { type Deeds, liveStories } from './world/people.ts';
import { killAtRandom } from './world/random-killer.ts';
import { judgeRunnerJob } from './world/runner-work.ts';
import { type DatabaseKind, replicasOn, startSoakWorld } from './world/world.ts';

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
  readonly asked: number;
  readonly replies: number;
  /** What was broken: the invariants, and what the runner must not do; each with its story. */
  readonly broken: readonly string[];
  /** How many calls the ledger has as unknown. */
  readonly unknownCalls: number;
  /** How many processes were killed. */
  readonly killed: number;
  /** How many calls, faults and disturbances there were, and the like. */
  readonly counts: Readonly<Record<string, number>>;
  /** How processes ended that were not killed. */
  readonly endings: readonly string[];
  readonly runnerEndings: readonly string[];
  /** What each process printed. */
  readonly outputs: readonly string[];
}

/** Has people work with the program while things go wrong, lets everything finish, and holds it to the invariants. */
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
  const deeds = await liveStories(plans, {
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
  note(`${deeds.asked.length} stories were told after ${seconds(startedAtMs)}; now they come to their ends`);

  await theEnd();
  await pressers.stop();
  note(`the end after ${seconds(startedAtMs)}`);
  const all = await Promise.all([...places, noticeChannel].map((place) => slack.control.messages(place)));
  const ends = await world.agentJobs();
  const work = (await runner?.work()) ?? [];
  return {
    options,
    durationMs: Date.now() - startedAtMs,
    asked: deeds.asked.length,
    replies: deeds.said.length,
    broken: [
      ...(await world.missing(accepted())).map((words) => `still missing: ${words}`),
      ...world.broken({
        messages: all.flat(),
        accepted: accepted(),
        unclear: deeds.asked.map(wordsOf),
        ends,
      }),
      ...work.flatMap(judgeRunnerJob),
    ],
    unknownCalls: await world.unknownCalls(),
    killed,
    counts: {
      'calls to Slack': slack.calls().length,
      'faults of Slack': faults.slack.count(),
      'calls to the agent API': front.count(),
      'faults of the agent API': faults.agent.count(),
      'odd answers of the agent API': faults.answers.count(),
      'second to fourth copies of requests': world.extraCopies(),
      'turns that the agent took up late': world.lateTurns(),
      'disturbances of a process': disturbances?.count() ?? 0,
      'replies that a second program left to the others': second.left(),
    },
    endings: [...fleet.endings, ...second.endings],
    runnerEndings: runner?.fleet.endings ?? [],
    outputs: [...fleet.outputs(), ...(runner?.fleet.outputs() ?? []), ...second.outputs()],
  };

  /** Words of what is surely kept: a request as it was answered, and what was said below it. */
  function accepted(): string[] {
    const heard = acknowledgements(slack, asksForJob);
    const isKept = ({ answer }: Deeds['asked'][number]) =>
      typeof answer === 'string' ? answer === 'accepted' : heard.has(answer.message.ts);
    const kept = deeds.asked.filter((one) => isKept(one) || watch.cardOf(one.story) !== null);
    const stories = new Set(kept.map(({ story }) => story));
    const said = deeds.said.filter(
      ({ story, manner, isSure }) => stories.has(story) && manner !== 'aside' && isSure,
    );
    return [...kept.map(wordsOf), ...said.map(({ text }) => text)];
  }

  /** Waits until nothing is missing any more, and then until nothing changes any more. */
  async function theEnd(): Promise<void> {
    const untilMs = Date.now() + options.patienceMs;
    let noteAtMs = Date.now() + NOTE_INTERVAL_MS;
    for (;;) {
      const isQuiet = Date.now() - world.lastDeedAtMs() > options.quietMs;
      const missing = await world.missing(accepted());
      if ((isQuiet && missing.length === 0) || Date.now() > untilMs) return;
      if (Date.now() > noteAtMs) {
        note(`${missing.length} missing so far: ${missing.slice(0, 5).join('; ')}`);
        noteAtMs += NOTE_INTERVAL_MS;
      }
      await pause(LOOK_INTERVAL_MS);
    }
  }
}

function wordsOf({ story }: { readonly story: number }): string {
  return `part J${story}, please`;
}

function seconds(sinceMs: number): string {
  return `${Math.round((Date.now() - sinceMs) / 1000)} s`;
}
