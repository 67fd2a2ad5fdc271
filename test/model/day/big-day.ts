import { choose, type Random, seededRandom } from '../../soak/random.ts';
import { act } from '../support/perform.ts';
import { HOUR_MS, MINUTE_MS, type PersonAction, SECOND_MS, type WayToAsk } from '../support/steps.ts';
import type { TurnPlan } from '../support/turns.ts';
import { bigScene, configFile, populate, projects, team } from './big-company.ts';
import { type Day, WORKDAY_MS } from './day.ts';

const SEED = 20_261_123;
/** Besides those of the releases. */
const JOBS = 400;
const MORNING = { fromMs: HOUR_MS, toMs: 2 * HOUR_MS };
const MORNING_SHARE = 0.35;
/** Thirty people in ten channels ask within two minutes. */
const RELEASES_MS = [3 * HOUR_MS, 8 * HOUR_MS];
const RELEASE = { people: 30, channels: 10, withinMs: 2 * MINUTE_MS } as const;
const CHANGES = 60;
const PRESSES = 60;
const TURNS = 500;

interface Ask {
  readonly atMs: number;
  readonly channel: number;
}

interface Doing {
  readonly atMs: number;
  readonly action: PersonAction;
}

/** A day that begins at eight: a busy morning, two releases, and what goes wrong between them. */
export function bigDay(): Day {
  const random = seededRandom(SEED);
  return {
    scene: bigScene,
    populate,
    settings: { POLL_MIN_INTERVAL: '30s' },
    configFile,
    projects,
    hasLimits: true,
    stepMs: SECOND_MS,
    patienceMs: HOUR_MS,
    turns: Array.from({ length: TURNS }, () => aTurn(random)),
    chance: null,
    troubles: [
      { of: 'agent', fromMs: 5 * HOUR_MS, toMs: 6 * HOUR_MS },
      { of: 'slack', fault: { status: 503 }, fromMs: 7 * HOUR_MS, toMs: 7 * HOUR_MS + 10 * MINUTE_MS },
      // In the middle of a release.
      { of: 'deploy', fromMs: 8 * HOUR_MS + MINUTE_MS, toMs: 8 * HOUR_MS + MINUTE_MS + 20 * SECOND_MS },
    ],
    moments: doings(random).map(({ atMs, action }) => ({
      atMs,
      happen: (_world, people) => act(people, action),
    })),
  };
}

function doings(random: Random): Doing[] {
  const asks = [...usual(random), ...RELEASES_MS.flatMap((atMs) => release(random, atMs))].toSorted(
    (one, other) => one.atMs - other.atMs,
  );
  const any = (howMany: number, doing: (index: number) => PersonAction): Doing[] =>
    Array.from({ length: howMany }, (_, index) => ({
      atMs: Math.round(random() * WORKDAY_MS),
      action: doing(index),
    }));
  const pick = () => Math.floor(random() * 10_000);
  return [
    ...asks.flatMap((ask, request) => askAndSteer(random, ask, request)),
    ...any(CHANGES, (index) => ({ do: index % 3 === 0 ? 'remove' : 'edit', pick: pick() })),
    ...any(PRESSES, () => ({ do: 'press', pick: pick(), times: 1 })),
  ];
}

function usual(random: Random): Ask[] {
  return Array.from({ length: JOBS }, () => {
    const { fromMs, toMs } = random() < MORNING_SHARE ? MORNING : { fromMs: 0, toMs: WORKDAY_MS };
    // Some channels are busier than others.
    return {
      atMs: Math.round(fromMs + random() * (toMs - fromMs)),
      channel: Math.floor(300 * random() ** 2),
    };
  });
}

function release(random: Random, atMs: number): Ask[] {
  const first = Math.floor(300 * random());
  return Array.from({ length: RELEASE.people }, (_, index) => ({
    atMs: Math.round(atMs + random() * RELEASE.withinMs),
    channel: first + (index % RELEASE.channels),
  }));
}

/** Of five requests, two are left alone. */
function askAndSteer(random: Random, { atMs, channel }: Ask, request: number): Doing[] {
  const { id, members } = team(channel);
  const anyone = () => members[Math.floor(random() * members.length)] ?? '';
  const user = anyone();
  const by = choose<WayToAsk>(random, [
    [6, 'command'],
    [3, 'mention'],
    [1, 'direct_message'],
  ]);
  const replies = choose(random, [
    [4, 0],
    [2, 1],
    [2, 2],
    [1, 4],
    [1, 6],
  ]);
  return [
    { atMs, action: { do: 'ask', by, channel: id, user } },
    ...Array.from({ length: replies }, (): Doing => {
      const replier = by === 'direct_message' || random() < 0.7 ? user : anyone();
      return {
        atMs: atMs + Math.round(10 * SECOND_MS + random() ** 2 * HOUR_MS),
        action: { do: 'answer', request, user: replier },
      };
    }),
  ];
}

function aTurn(random: Random): TurnPlan {
  return {
    // Most turns are short.
    workMs: Math.round(MINUTE_MS + random() ** 2 * 29 * MINUTE_MS),
    lagMs: choose(random, [
      [3, 0],
      [1, 5 * SECOND_MS],
      [1, 30 * SECOND_MS],
    ]),
    ending: choose<TurnPlan['ending']>(random, [
      [8, 'pull_request'],
      [1, 'no_change'],
      [1, 'failure'],
    ]),
    isNewLink: random() < 0.2,
  };
}
