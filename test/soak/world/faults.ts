import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/fault-proxy/fault.ts';
import { choose, type Random } from '../random.ts';

const FAULT_SHARE = 0.05;
/** As long as the program waits for Slack. */
const SILENCE_MS = 10_000;
/** So often a call finds all of Slack unavailable, and for how long. */
const SPELL_SHARE = 1 / 4_000;
const SPELL_MS = 8_000;
/** The last one is not known to anybody. */
const PASSING_ERRORS = ['team_added_to_org', 'accesslimited', 'update_failed', 'error_of_next_year'];

/** What may go wrong with a call, by a name for the report. */
type Named<T> = readonly [share: number, fault: readonly [name: string, make: () => T]];

/** A post that Slack answers so may have been stored. */
export type SlackFault = Fault | { readonly errorAfter: string };

const slackFaults: readonly Named<SlackFault>[] = [
  // Each holds back the whole method, or the whole channel.
  [5, ['429 with Retry-After', () => ({ status: 429, headers: { 'retry-after': '1' } })]],
  [18, ['500 before storing', () => ({ status: 500 })]],
  [18, ['500 after storing', () => 'error_after']],
  [12, ['reset before storing', () => 'reset_before']],
  [12, ['reset after storing', () => 'reset_after']],
  [10, ['half an answer', () => 'half_body']],
  [10, ['internal_error after storing', () => ({ errorAfter: 'internal_error' })]],
  [8, ['an error that passes', () => passingError(PASSING_ERRORS[0] ?? '')]],
  [1, ['10 s of silence, not stored', () => 'hang']],
  [1, ['10 s of silence, stored', () => ({ answerAfter: sleep(SILENCE_MS) })]],
];

const agentFaults: readonly Named<Fault>[] = [
  [
    15,
    [
      '429 with Retry-After',
      () => ({ status: 429, headers: { 'retry-after': '1' }, body: '{"error":"Slow down"}' }),
    ],
  ],
  [10, ['429 without Retry-After', () => ({ status: 429, body: '{"error":"Slow down"}' })]],
  [15, ['500 before processing', () => ({ status: 500, body: '{"error":"Oops"}' })]],
  [15, ['500 after processing', () => 'error_after']],
  [14, ['reset before processing', () => 'reset_before']],
  [14, ['reset after processing', () => 'reset_after']],
  [13, ['half an answer', () => 'half_body']],
  [4, ['no answer', () => 'hang']],
];

/** Decides what goes wrong, and counts it. */
export interface FaultSource<T> {
  next(): T | null;
  /** How many faults of each kind there were. */
  readonly counts: ReadonlyMap<string, number>;
  /** Without faults until this is called, and after `end`. */
  begin(): void;
  end(): void;
}

/** Besides single faults, now and then each call is answered for some seconds with an error that passes. */
export function slackFaultSource(random: Random): FaultSource<SlackFault> {
  const source = faultSource(random, slackFaults);
  const counts = new Map<string, number>();
  let isOn = false;
  let spell = { untilMs: 0, error: '' };
  const next = (): SlackFault | null => {
    if (!isOn) return null;
    if (Date.now() < spell.untilMs) return passingError(spell.error);
    if (random() >= SPELL_SHARE) return source.next();
    const error = choose(
      random,
      PASSING_ERRORS.map((code) => [1, code] as const),
    );
    spell = { untilMs: Date.now() + SPELL_MS, error };
    const name = `8 s of ${error}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return passingError(error);
  };
  return {
    next,
    get counts() {
      return new Map([...source.counts, ...counts]);
    },
    begin: () => {
      isOn = true;
      source.begin();
    },
    end: () => {
      isOn = false;
      source.end();
    },
  };
}

function passingError(error: string): SlackFault {
  return { status: 200, body: JSON.stringify({ ok: false, error }) };
}

export const agentFaultSource = (random: Random) => faultSource(random, agentFaults);

function faultSource<T>(random: Random, faults: readonly Named<T>[]): FaultSource<T> {
  const counts = new Map<string, number>();
  let isOn = false;
  return {
    counts,
    next: () => {
      if (!isOn || random() >= FAULT_SHARE) return null;
      const [name, make] = choose(random, faults);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return make();
    },
    begin: () => {
      isOn = true;
    },
    end: () => {
      isOn = false;
    },
  };
}
