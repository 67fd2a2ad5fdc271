import { choose, type Random, seededRandom } from '../../soak/random.ts';
import type { ModelWorld } from '../support/model-world.ts';
import type { People } from '../support/people.ts';
import { act } from '../support/perform.ts';
import { HOUR_MS, MINUTE_MS, type PersonAction, SECOND_MS, type WayToAsk } from '../support/steps.ts';
import type { TurnPlan } from '../support/turns.ts';
import { team } from './big-company.ts';

const SEED = 20_261_123;
/** People come and go in it; it may take longer until all is done. */
const WORKDAY_MS = 10 * HOUR_MS;
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

/** At a time since the beginning of the day, in whole milliseconds. */
export interface Moment {
  readonly atMs: number;
  readonly happen: (world: ModelWorld, people: People) => unknown;
}

const random = seededRandom(SEED);

export const turns: readonly TurnPlan[] = Array.from({ length: TURNS }, () => aTurn(random));

/** A day that begins at eight: a busy morning, two releases, and what goes wrong between them. */
export function bigDay(): Moment[] {
  const moments = [
    ...doings(random).map(({ atMs, action }): Moment => {
      return { atMs, happen: (_world, people) => act(people, action) };
    }),
    ...troubles,
  ];
  return moments.toSorted((one, other) => one.atMs - other.atMs);
}

const SLACK_AWAY_MS = 7 * HOUR_MS;
/** In the middle of a release. */
const DEPLOY_MS = 8 * HOUR_MS + MINUTE_MS;
const LATE_ATTEMPT = 2;

const troubles: readonly Moment[] = [
  { atMs: 5 * HOUR_MS, happen: ({ agent }) => agent.down() },
  { atMs: 6 * HOUR_MS, happen: ({ agent }) => agent.up() },
  {
    atMs: SLACK_AWAY_MS,
    happen: ({ troubles: all, slack }) => {
      all.slackOutage = { status: 503 };
      // With the second retry, a minute late.
      slack.onDelivery(({ kind, attempt }) => (kind === 'event' && attempt < LATE_ATTEMPT ? 0 : 1));
    },
  },
  {
    atMs: SLACK_AWAY_MS + 10 * MINUTE_MS,
    happen: ({ troubles: all, slack }) => {
      all.slackOutage = null;
      slack.onDelivery(() => 1);
    },
  },
  { atMs: DEPLOY_MS, happen: ({ replicas }) => replicas.stop(0) },
  { atMs: DEPLOY_MS + 20 * SECOND_MS, happen: ({ replicas }) => replicas.start() },
];

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
