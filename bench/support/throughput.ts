import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../src/store/engines/sqlite.ts';
import { BARE, type ContenderOptions, contenders, DURABLE, OURS, type Turn } from './contenders.ts';
import { type LoadRequest, sendLoad } from './load.ts';
import { callsIn, type StandIns } from './processes.ts';
import type { BenchSettings } from './rounds.ts';
import { type Figures, takeTurns } from './rounds.ts';
import { compare, type Row } from './rows.ts';

export interface ThroughputOptions extends Pick<ContenderOptions, 'seed' | 'env'> {
  readonly settings: BenchSettings;
  readonly standIns: StandIns;
  readonly atOnce: number;
  /** Makes new requests from the start on. */
  readonly requests: () => () => LoadRequest;
  /** The table of the program in which each request leaves a row. */
  readonly table: 'job' | 'follow_up';
  readonly label: string;
}

/**
 * How many requests a second are acknowledged, in comparison with B and A. Throws unless each was kept, once, and the
 * program did other work in the meantime.
 */
export async function throughputRows(options: ThroughputOptions): Promise<Row[]> {
  const { settings, atOnce } = options;
  const measure = (turn: Turn) => measureOne(turn, options);
  const rounds = await takeTurns(contenders([OURS, BARE, DURABLE], { ...options, measure }), settings);
  const figure = { label: `${options.label}, ${atOnce} at a time`, unit: 'a second' };
  const ours = [OURS, 'per second'] as const;
  return [
    compare(rounds, { ...figure, ours, reference: [DURABLE, 'per second'], target: { atLeast: 2 } }),
    compare(rounds, { ...figure, ours, reference: [BARE, 'per second'], target: { atLeast: 0.7 } }),
  ];
}

async function measureOne(turn: Turn, options: ThroughputOptions): Promise<Figures> {
  const { standIns, atOnce, settings } = options;
  const { port } = turn.process;
  const next = options.requests();
  const load = (durationMs: number) => sendLoad({ port, next, atOnce, until: { durationMs } });
  const warmUp = await load(settings.quick ? 300 : 2_000);
  const callsBefore = await callsIn(standIns);
  const { answers, perSecond } = await load(settings.quick ? 700 : 4_000);
  const calls = (await callsIn(standIns)) - callsBefore;
  if (turn.who !== OURS) return { 'per second': perSecond };
  checkKept(turn.dataDir, options.table, warmUp.answers + answers);
  if (calls === 0) throw new Error('the program took requests in, but did nothing else');
  return { 'per second': perSecond, 'calls made a second': (calls / answers) * perSecond };
}

/** Reads beside the program, which goes on: what it has acknowledged must be there already. */
function checkKept(dataDir: string, table: ThroughputOptions['table'], answers: number): void {
  const database = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const kept = database.prepare(`select count(*) as kept from ${table}`).get()?.kept;
  database.close();
  if (kept === answers) return;
  throw new Error(`${answers} requests were acknowledged, but in the table ${table} are ${kept} rows`);
}
