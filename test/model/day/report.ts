import { percentile } from '../../../bench/support/percentiles.ts';
import { MINUTE_MS, SECOND_MS } from '../support/steps.ts';
import type { Day, Trouble } from './day.ts';
import { type Delay, kinds } from './delays.ts';
import type { Played } from './play.ts';

const AFTER_MS = 30 * MINUTE_MS;
const NAMES: Readonly<Record<Trouble['of'], string>> = {
  agent: 'while the agent is away',
  slack: 'while Slack is away',
  deploy: 'during the deploy',
};
const AFTER = 'in the half-hour after one of them';
const REST = 'the rest of the day';
const times = [REST, ...Object.values(NAMES), AFTER];

/** The delays of the day as a Markdown table, by kind and time. */
export function reportOf({ troubles }: Day, { delays, counts, wrong }: Played): string {
  const numbers = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
  const rows = kinds.flatMap((kind) =>
    times.flatMap((time) => {
      const those = delays.filter((delay) => delay.kind === kind && timeOf(delay, troubles) === time);
      return those.length === 0 ? [] : [[kind, time, ...figuresOf(those, troubles)]];
    }),
  );
  return [
    `${numbers.join(', ')}; ${wrong.length} promises not kept`,
    '',
    '| from … to | when | how many | median | p95 | worst | worst, from the end of the trouble |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

function figuresOf(delays: readonly Delay[], troubles: readonly Trouble[]): string[] {
  const durations = delays.map(({ fromMs, toMs }) => toMs - fromMs);
  const behind = delays.flatMap((delay) => {
    const met = metBy(delay, troubles);
    return met === undefined ? [] : [Math.max(0, delay.toMs - met.toMs)];
  });
  return [
    delays.length.toLocaleString('en'),
    ...[percentile(durations, 0.5), percentile(durations, 0.95), Math.max(...durations)].map(inWords),
    behind.length === 0 ? '' : inWords(Math.max(...behind)),
  ];
}

function timeOf(delay: Delay, troubles: readonly Trouble[]): string {
  const met = metBy(delay, troubles);
  if (met !== undefined) return NAMES[met.of];
  const { fromMs } = delay;
  return troubles.some(({ toMs }) => fromMs >= toMs && fromMs < toMs + AFTER_MS) ? AFTER : REST;
}

/** The trouble during which it began, went on or ended. */
function metBy({ fromMs, toMs }: Delay, troubles: readonly Trouble[]): Trouble | undefined {
  return troubles.find((trouble) => fromMs < trouble.toMs && toMs > trouble.fromMs);
}

function inWords(ms: number): string {
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  return `${(ms / MINUTE_MS).toFixed(1)} min`;
}
