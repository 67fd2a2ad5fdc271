import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { inProject } from './paths.ts';
import type { Row } from './rows.ts';

/** What `bench/results/NAME.json` holds, and `NAME-20ms.json` for flushes that take 20 ms longer. */
interface Result {
  readonly bench: string;
  readonly about: string;
  readonly command: string;
  readonly date: string;
  readonly node: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly memoryGiB: number };
  readonly rounds: number;
  readonly rows: readonly Row[];
}

export async function writeResult(
  measured: Pick<Result, 'bench' | 'about' | 'rounds' | 'rows'>,
  flushDelayMs: number,
): Promise<void> {
  const { bench, about, rounds, rows } = measured;
  const isAsItIs = flushDelayMs === 0;
  const result: Result = {
    bench,
    about,
    command: `npm run bench -- ${bench}${isAsItIs ? '' : ` --flush-ms ${flushDelayMs}`}`,
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    machine: machine(),
    rounds,
    rows,
  };
  await mkdir(inProject('bench/results'), { recursive: true });
  const file = `${bench}${isAsItIs ? '' : `-${flushDelayMs}ms`}.json`;
  await writeFile(join(inProject('bench/results'), file), `${JSON.stringify(result, null, 2)}\n`);
}

export function machine(): Result['machine'] {
  const [first] = cpus();
  return {
    cores: cpus().length,
    model: first?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}
