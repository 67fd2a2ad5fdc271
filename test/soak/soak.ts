import { parseArgs } from 'node:util';
import { countOf, databasesOf, runOnDatabases } from './on-databases.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    runner: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});

const { runner: withRunner } = values;
const isGood = await runOnDatabases({
  command: ['npm run soak --', ...process.argv.slice(2)].join(' '),
  databases: databasesOf(values.database),
  reportFile: values.report,
  stories: countOf(values.jobs),
  seed: countOf(values.seed),
  // The runner and its agents need most of the machine.
  atOnce: withRunner ? 10 : 150,
  kills: 0,
  withRunner,
  lateShare: 0.01,
  isDisturbed: !withRunner,
  // The tasks of a killed replica are free after 24 s.
  quietMs: withRunner ? 45_000 : 20_000,
  // What Slack has given up to deliver is found by catching up, which reads one thread each 1.5 s, or fewer.
  patienceMs: 15 * 60_000,
});
process.exitCode = isGood ? 0 : 1;
