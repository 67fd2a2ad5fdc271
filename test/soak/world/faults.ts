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

type Shares<T> = readonly (readonly [share: number, make: () => T])[];

/** A post that Slack answers so may have been stored. */
export type SlackFault = Fault | { readonly errorAfter: string };

const slackFaults: Shares<SlackFault> = [
  // Each holds back the whole method, or the whole channel.
  [5, () => ({ status: 429, headers: { 'retry-after': '1' } })],
  [18, () => ({ status: 500 })],
  [18, () => 'error_after'],
  [12, () => 'reset_before'],
  [12, () => 'reset_after'],
  [10, () => 'half_body'],
  [10, () => ({ errorAfter: 'internal_error' })],
  [8, () => passingError(PASSING_ERRORS[0] ?? '')],
  [1, () => 'hang'],
  [1, () => ({ answerAfter: sleep(SILENCE_MS) })],
];

const SLOW_DOWN = { status: 429, body: '{"error":"Slow down"}' };

const agentFaults: Shares<Fault> = [
  [15, () => ({ ...SLOW_DOWN, headers: { 'retry-after': '1' } })],
  [10, () => SLOW_DOWN],
  [15, () => ({ status: 500, body: '{"error":"Oops"}' })],
  [15, () => 'error_after'],
  [14, () => 'reset_before'],
  [14, () => 'reset_after'],
  [13, () => 'half_body'],
  [4, () => 'hang'],
];

/** Decides what goes wrong. */
export interface FaultSource<T> {
  next(): T | null;
  /** How many faults there were. */
  count(): number;
  /** Without faults until this is called, and after `end`. */
  begin(): void;
  end(): void;
}

/** Besides single faults, now and then each call is answered for some seconds with an error that passes. */
export function slackFaultSource(random: Random): FaultSource<SlackFault> {
  let spell = { untilMs: 0, error: '' };
  return faultSource(random, slackFaults, () => {
    if (Date.now() < spell.untilMs) return passingError(spell.error);
    if (random() >= SPELL_SHARE) return null;
    const error = PASSING_ERRORS[Math.floor(random() * PASSING_ERRORS.length)] ?? '';
    spell = { untilMs: Date.now() + SPELL_MS, error };
    return passingError(error);
  });
}

function passingError(error: string): SlackFault {
  return { status: 200, body: JSON.stringify({ ok: false, error }) };
}

export const agentFaultSource = (random: Random) => faultSource(random, agentFaults);

/** @param first what goes wrong before all else */
function faultSource<T>(
  random: Random,
  faults: Shares<T>,
  first: () => T | null = () => null,
): FaultSource<T> {
  let count = 0;
  let isOn = false;
  const next = () => first() ?? (random() < FAULT_SHARE ? choose(random, faults)() : null);
  return {
    count: () => count,
    next: () => {
      const fault = isOn ? next() : null;
      if (fault !== null) count += 1;
      return fault;
    },
    begin: () => {
      isOn = true;
    },
    end: () => {
      isOn = false;
    },
  };
}
