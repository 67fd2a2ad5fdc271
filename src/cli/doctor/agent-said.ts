import type { Probe } from '../../agent/client/probe.ts';

const WORDS_MAX = 200;

/** An answer in short: its status, the API's words, and how long it took. */
export function said({ status, words, latencyMs }: Extract<Probe, { kind: 'answered' }>): string {
  const quoted = words === null ? '' : `, "${words.slice(0, WORDS_MAX)}"`;
  return `${status}${quoted}, after ${Math.round(latencyMs)} ms`;
}
