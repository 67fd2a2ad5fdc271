import { parseArgs } from 'node:util';
import { countOf, databasesOf, runOnDatabases } from './on-databases.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    report: { type: 'string' },
  },
});

const isGood = await runOnDatabases({
  command: ['npm run test:crash --', ...process.argv.slice(2)].join(' '),
  databases: databasesOf(values.database),
  reportFile: values.report,
  // More than can be announced until the last kill.
  stories: 10_000,
  seed: countOf(values.seed),
  atOnce: 10,
  kills: countOf(values.kills),
  // The tasks of a killed replica are free after 24 s, and a post may be repeated 15 s after its start.
  lateShare: 0.005,
  withRunner: false,
  isDisturbed: true,
  quietMs: 45_000,
  // Slack's last retry is after six minutes, and catching up reads one thread each 1.5 s.
  patienceMs: 15 * 60_000,
});
process.exitCode = isGood ? 0 : 1;
