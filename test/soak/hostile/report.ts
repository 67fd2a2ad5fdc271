/** What was seen in a run. */
export interface HostileResult {
  readonly requests: number;
  readonly forged: number;
  /** How many requests got which status. 0: none, or not within the limit. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Of forged requests, other than refusals. */
  readonly forgedStatuses: readonly number[];
  readonly storedForgeries: number;
  readonly slowestMs: number;
  readonly seconds: number;
  /** Of the program, after a fifth of the requests, and at the end. */
  readonly memoryBytes: readonly [early: number, late: number];
  /** How the program ended, if it did by itself. */
  readonly ending: string | null;
  /** Log events that tell of a bug, with how often. */
  readonly bugs: ReadonlyMap<string, number>;
  readonly leaks: readonly string[];
}

/** Slack gives up then. */
const LIMIT_MS = 3_000;
/** What the program may have gained in the last four fifths. */
const MEMORY_GROWTH_MAX = 1.25;

/** What went wrong, in words; empty if all was well. */
export function findingsOf(result: HostileResult): string[] {
  const errors = [...result.statuses].filter(([status]) => status === 0 || status >= 500);
  return [
    ...errors.map(([status, count]) => `${count} requests got the status ${status}`),
    ...(result.forgedStatuses.length > 0 ? [`forged requests got ${result.forgedStatuses.join(', ')}`] : []),
    ...(result.storedForgeries > 0 ? [`${result.storedForgeries} rows hold what was forged`] : []),
    ...(result.ending === null ? [] : [`the program ended: ${result.ending}`]),
    ...[...result.bugs].map(([event, count]) => `it logged ${event} ${count} times`),
    ...result.leaks.map((where) => `a secret stands in ${where}`),
  ];
}

/** The same of what only a long run on a machine with time to spare can tell. */
export function measuresOf({ slowestMs, memoryBytes: [early, late] }: HostileResult): string[] {
  return [
    ...(slowestMs > LIMIT_MS ? [`an answer took ${Math.round(slowestMs)} ms`] : []),
    ...(late > early * MEMORY_GROWTH_MAX ? [`memory grew from ${mib(early)} to ${mib(late)}`] : []),
  ];
}

export function progressOf(sent: number, statuses: HostileResult['statuses'], memoryBytes: number): string {
  return `${sent} sent; answers: ${countsOf(statuses)}; memory: ${mib(memoryBytes)}`;
}

export function reportOf(result: HostileResult): string {
  const [early, late] = result.memoryBytes;
  return [
    `${result.requests} requests, ${result.forged} of them forged, in ${Math.round(result.seconds)} s`,
    `answers: ${countsOf(result.statuses)}`,
    `the slowest answer took ${Math.round(result.slowestMs)} ms`,
    `memory of the program: ${mib(early)} after a fifth of the requests, ${mib(late)} at the end`,
  ].join('\n');
}

function countsOf(statuses: HostileResult['statuses']): string {
  const inOrder = [...statuses].toSorted(([a], [b]) => a - b);
  return inOrder.map(([status, count]) => `${status} ${count} times`).join(', ');
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
