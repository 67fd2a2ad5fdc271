import { createScratch } from './paths.ts';
import {
  type ProgramOptions,
  type RunningProcess,
  type StandIns,
  startBolt,
  startProgram,
} from './processes.ts';
import type { BenchSettings, Contender, Figures } from './rounds.ts';

/** Names in tables: the program, a bare Bolt app, and one that writes what it acknowledges. */
export const OURS = 'docs-agent';
export const BARE = 'A';
export const DURABLE = 'B';

type Who = typeof OURS | typeof BARE | typeof DURABLE;

export interface Turn {
  /** Freshly started. It is ended after the turn. */
  readonly process: RunningProcess;
  readonly who: Who;
  readonly dataDir: string;
}

export interface ContenderOptions {
  readonly settings: BenchSettings;
  readonly standIns: StandIns;
  readonly measure: (turn: Turn) => Promise<Figures>;
  /** Fills the program's store before it starts. */
  readonly seed?: (dataDir: string) => Promise<void>;
  readonly env?: ProgramOptions['env'];
}

export function contenders(names: readonly Who[], options: ContenderOptions): Contender[] {
  return names.map((who) => contender(who, options));
}

/** Each turn has a process of its own, with a folder of its own, so that none finds what an earlier one left. */
export function contender(who: Who, options: ContenderOptions, name: string = who): Contender {
  const measure = async () => {
    await using scratch = await createScratch();
    const { path: dataDir } = scratch;
    if (who === OURS) await options.seed?.(dataDir);
    await using process = await start(who, dataDir, options);
    const figures = await options.measure({ process, who, dataDir });
    if (options.settings.profileDir !== null && who === OURS) await process.stop();
    return figures;
  };
  return { name, measure };
}

function start(who: Who, dataDir: string, { settings, standIns, env }: ContenderOptions) {
  if (who === OURS)
    return startProgram({ settings, standIns, dataDir, ...(env === undefined ? {} : { env }) });
  return startBolt(standIns, settings.disk, who === DURABLE ? dataDir : null);
}
