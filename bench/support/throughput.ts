import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../src/store/engines/sqlite.ts';
import { BARE, type ContenderOptions, contenders, DURABLE, OURS, type Turn } from './contenders.ts';
import { type LoadRequest, sendLoad } from './load.ts';
import { otherAnswers } from './other-answers.ts';
import { percentile } from './percentiles.ts';
import { allOf, type StandIns } from './processes.ts';
import { type BenchSettings, type Figures, type Round, takeTurns } from './rounds.ts';
import { type Comparison, compare, type Row } from './rows.ts';

export interface ThroughputOptions extends Pick<ContenderOptions, 'seed' | 'env'> {
  readonly settings: BenchSettings;
  readonly standIns: StandIns;
  /** Makes new requests from the start on. */
  readonly requests: () => () => LoadRequest;
  /** The table of the program in which each request leaves a row. */
  readonly table: 'job' | 'follow_up';
  readonly label: string;
  /** What follows from the requests: a call to Slack; null: any call. */
  readonly work: { readonly call: string | null; readonly label: string };
}

const AT_ONCE = [16, 64] as const;
const GOAL = 'goal';
/** How late the answer to a request may be, whatever comes at once. */
const goal: Figures = { worst: 500 };

/**
 * How many requests a second are acknowledged, in comparison with B and A, and what that does to everything else. Throws
 * unless each was kept, once, and the program did other work in the meantime.
 */
export async function throughputRows(options: ThroughputOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const atOnce of AT_ONCE) rows.push(...(await rowsOf(atOnce, options)));
  return rows;
}

async function rowsOf(atOnce: number, options: ThroughputOptions): Promise<Row[]> {
  const { settings, label, work } = options;
  const isSlowDisk = settings.disk.flushDelayMs > 0;
  const measure = (turn: Turn) => measureOne(turn, atOnce, options);
  const names = isSlowDisk ? ([OURS, DURABLE] as const) : ([OURS, BARE, DURABLE] as const);
  const turns = await takeTurns(contenders(names, { ...options, measure }), settings);
  const rounds = turns.map((round): Round => new Map([...round, [GOAL, goal]]));
  const row = (what: string, unit: string, figure: string, against: Against): Row =>
    compare(rounds, {
      label: `${what}, ${atOnce} at a time`,
      unit,
      ours: [OURS, figure],
      ...against,
      reference: [against.reference[0], against.reference[1] ?? figure],
    });
  const requests = (against: Against) => row(label, 'a second', 'requests', against);
  return [
    requests({ reference: [DURABLE], target: { atLeast: isSlowDisk ? 3 : 1 } }),
    ...(isSlowDisk ? [] : [requests({ reference: [BARE] })]),
    row('latest answer', 'ms', 'worst', { reference: [GOAL], target: { atMost: 1 } }),
    row('other answers, p99', 'ms', 'others', { reference: [DURABLE] }),
    row(work.label, 'a second', 'work', { reference: [OURS, 'requests'] }),
  ];
}

/** What a figure is compared with; left out: the same figure of the reference. */
type Against = Pick<Comparison, 'target'> & {
  readonly reference: readonly [contender: string, figure?: string];
};

async function measureOne(turn: Turn, atOnce: number, options: ThroughputOptions): Promise<Figures> {
  const { standIns, settings, work } = options;
  const { port } = turn.process;
  const next = options.requests();
  const load = (durationMs: number) => sendLoad({ port, next, atOnce, until: { durationMs } });
  const warmUp = await load(settings.quick ? 300 : 2_000);
  const before = await standIns.counts();
  const others = otherAnswers(port);
  const { answers, perSecond, latenciesMs } = await load(settings.quick ? 700 : 4_000);
  const figures = {
    requests: perSecond,
    worst: Math.max(...latenciesMs),
    others: percentile(await others.end(), 0.99),
  };
  if (turn.who !== OURS) return figures;
  const after = await standIns.counts();
  checkKept(turn.dataDir, options.table, warmUp.answers + answers);
  const done = countOf(after, work.call) - countOf(before, work.call);
  if (done === 0) throw new Error('the program took requests in, but did nothing else');
  return { ...figures, work: (done / answers) * perSecond };
}

function countOf(counts: Readonly<Record<string, number>>, call: string | null): number {
  return call === null ? allOf(counts) : (counts[call] ?? 0);
}

/** Reads beside the program, which goes on: what it has acknowledged must be there already. */
function checkKept(dataDir: string, table: ThroughputOptions['table'], answers: number): void {
  const database = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const kept = database.prepare(`select count(*) as kept from ${table}`).get()?.kept;
  database.close();
  if (kept === answers) return;
  throw new Error(`${answers} requests were acknowledged, but in the table ${table} are ${kept} rows`);
}
