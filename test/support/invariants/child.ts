import { appendFileSync } from 'node:fs';
import { onCommit } from './notes.ts';

/** Loaded into the program by `--import`: notes its commits in the file that INVARIANTS_NOTES names. */
const { INVARIANTS_NOTES: path } = process.env;
if (path === undefined) throw new Error('INVARIANTS_NOTES: where to note the commits');

onCommit(({ atMs, untilMs, version, jobs }) => {
  appendFileSync(path, `${JSON.stringify({ atMs, untilMs, version, jobs: [...jobs] })}\n`);
});
