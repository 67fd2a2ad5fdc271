import type { RunResult } from './run.ts';

type Row = readonly [what: string, count: number | string];

/** The results of one run as a Markdown table. */
export function reportOf(result: RunResult): string {
  const { options } = result;
  const place = options.database === 'sqlite' ? 'SQLite, one process' : 'Postgres, two replicas';
  const kind = options.kills > 0 ? 'Random kills' : options.withRunner ? 'Soak with the runner' : 'Soak';
  return [`### ${kind} on ${place}`, table([...outcomes(result), ...Object.entries(result.counts)])].join(
    '\n\n',
  );
}

/** Nothing was broken, and no process ended by itself. */
export function isGood({
  broken,
  options,
  killed,
  unknownCalls,
  endings,
  runnerEndings,
}: RunResult): boolean {
  // A fault of Slack at its start ends the program, which is started again.
  const areEndingsGood = (killed > 0 || endings.length === 0) && runnerEndings.length === 0;
  const isUnknown = options.withRunner && unknownCalls > 0;
  return broken.length === 0 && areEndingsGood && !isUnknown;
}

function outcomes(result: RunResult): Row[] {
  return [
    ['jobs asked for', result.asked],
    ['replies', result.replies],
    ['**promises broken**', result.broken.length],
    ['calls of unknown outcome, each shown in its thread', result.unknownCalls],
    ...(result.killed > 0 ? [['kills', result.killed] as const] : []),
    ['processes that ended by themselves', result.endings.length + result.runnerEndings.length],
    ['duration', `${Math.round(result.durationMs / 1000)} s`],
  ];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(([what, count]) => `| ${what} | ${count.toLocaleString('en-US')} |`);
  return ['| what | count |', '| --- | ---: |', ...lines].join('\n');
}
