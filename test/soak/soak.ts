import { parseArgs } from 'node:util';
import { countOf, databasesOf, runOnDatabases } from './on-databases.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    report: { type: 'string' },
  },
});

const isGood = await runOnDatabases({
  command: ['npm run soak --', ...process.argv.slice(2)].join(' '),
  databases: databasesOf(values.database),
  reportFile: values.report,
  stories: countOf(values.jobs),
  seed: countOf(values.seed),
  atOnce: 150,
  kills: 0,
  lateShare: 0.01,
  isDisturbed: true,
  quietMs: 20_000,
  // What Slack has given up to deliver is found by catching up, which reads one thread each 1.5 s, or fewer.
  patienceMs: 15 * 60_000,
});
process.exitCode = isGood ? 0 : 1;
