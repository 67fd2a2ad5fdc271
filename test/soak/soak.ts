import { parseArgs } from 'node:util';
import { testServerUrl } from '../support/postgres.ts';
import { soak } from './run.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});

for (const database of testServerUrl === undefined
  ? (['sqlite'] as const)
  : (['sqlite', 'postgres'] as const)) {
  const note = (progress: string) => console.error(`[${database}] ${progress}`);
  const [jobs, kills, seed] = [Number(values.jobs), Number(values.kills), Number(values.seed)];
  const broken = await soak({ database, jobs, kills, seed, people: 20, note });
  console.log([`${database}: ${broken.length} promises were broken.`, ...broken].join('\n\n'));
  if (broken.length > 0) process.exitCode = 1;
}
