import { parseArgs } from 'node:util';
import { runHostile } from './hostile/run.ts';
import { countOf } from './on-databases.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
  },
});

const result = await runHostile({
  requests: countOf(values.requests),
  seed: countOf(values.seed),
  note: (progress) => console.error(progress),
});
const findings = [...result.findings, ...result.measured];
console.log(result.summary);
console.log(findings.length === 0 ? 'All was well.' : `Not well: ${findings.join('; ')}.`);
process.exitCode = findings.length === 0 ? 0 : 1;
