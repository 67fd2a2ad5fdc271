import { parseArgs } from 'node:util';
import { shareOf } from '../test/support/share.ts';
import { benches } from './benches.ts';
import { build } from './support/build.ts';
import { inProject } from './support/paths.ts';
import { machine, writeResult } from './support/result-file.ts';
import type { BenchSettings } from './support/rounds.ts';
import type { Bench } from './support/rows.ts';
import { slowDiskEnv } from './support/slow-disk.ts';
import { tableOf } from './support/table.ts';

// Measures how fast the program is, against references that take turns with it: docs/performance.md.
// Fails if a bench does not work, never because of a figure.

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    'flush-ms': { type: 'string' },
  },
});
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  throw new Error(`no bench is called ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
}
const { quick } = values;
const names = Object.keys(benches);
/** CI tries some of them for each commit. */
const played =
  wanted.length > 0 ? names.filter((name) => wanted.includes(name)) : quick ? shareOf(names) : names;
/** Added to each flush of the disk, in turn. */
const flushDelaysMs = (values['flush-ms'] ?? (quick ? '0' : '0,20')).split(',').map(Number);
const settings: Omit<BenchSettings, 'disk'> = {
  quick,
  rounds: quick ? 1 : Number(values.rounds),
  warmUpRounds: quick ? 0 : 1,
  profileDir: values.profile ? inProject('bench/profiles') : null,
  note: (progress) => console.error(`  ${progress}`),
};

await build();
const { cores, model, memoryGiB } = machine();
console.log(`Node ${process.versions.node} on ${cores} cores (${model}), ${memoryGiB} GiB\n`);
for (const [name, bench] of Object.entries(benches)) {
  if (!played.includes(name)) continue;
  for (const flushDelayMs of bench.isOfDisk ? flushDelaysMs : [0]) {
    const env = flushDelayMs === 0 ? {} : await slowDiskEnv(flushDelayMs);
    if (env === null) console.log(`${name} is skipped on a slow disk, which takes Linux and a C compiler.\n`);
    else await run(name, bench, { ...settings, disk: { flushDelayMs, env } });
  }
}

async function run(name: string, bench: Bench, ofRun: BenchSettings): Promise<void> {
  const { rounds, disk } = ofRun;
  const slowly = disk.flushDelayMs === 0 ? '' : `, each flush ${disk.flushDelayMs} ms longer`;
  console.log(`## ${name}${slowly}\n\n${bench.about} Medians of ${rounds} rounds.\n`);
  try {
    const rows = await bench.run(ofRun);
    console.log(`${tableOf(rows)}\n`);
    // The short turns, and those of a program that is watched, are no results to keep.
    if (quick || values.profile) return;
    await writeResult({ bench: name, about: bench.about, rounds, rows }, disk.flushDelayMs);
  } catch (error) {
    console.error(`${name} does not work:`, error);
    process.exitCode = 1;
  }
}
