import { mkdtemp, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { testServerUrl } from '../support/postgres.ts';
import { isGood, reportOf } from './report.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import type { DatabaseKind } from './world/world.ts';

export interface ProgramOptions extends Omit<RunOptions, 'database' | 'note'> {
  readonly databases: readonly DatabaseKind[];
  /** How the program was called. */
  readonly command: string;
  /** Where the report goes besides the standard output. */
  readonly reportFile: string | undefined;
}

/** `sqlite`, `postgres` or, if it is undefined, both. */
export function databasesOf(wanted: string | undefined): DatabaseKind[] {
  if (wanted === undefined) return ['sqlite', 'postgres'];
  if (wanted === 'sqlite' || wanted === 'postgres') return [wanted];
  throw new Error(`--database is sqlite or postgres, not ${wanted}`);
}

/** A whole number above zero; throws if the text is none. */
export function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${text} is not a whole number above zero`);
  return count;
}

/** Runs on one database after the other, and prints the report. True if all was well. */
export async function runOnDatabases(options: ProgramOptions): Promise<boolean> {
  const { databases, command, reportFile } = options;
  const reports = [headOf(command)];
  let isAllGood = true;
  for (const database of databases) {
    const note = (progress: string) => console.error(`[${database}] ${progress}`);
    if (database === 'postgres' && testServerUrl === undefined) {
      note('skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres');
      continue;
    }
    const result = await run({ ...options, database, note });
    reports.push(reportOf(result));
    if (isGood(result)) continue;
    isAllGood = false;
    await tellWhatWentWrong(result, note);
  }
  const report = `${reports.join('\n\n')}\n`;
  console.log(report);
  if (reportFile !== undefined) await writeFile(reportFile, report);
  return isAllGood;
}

async function tellWhatWentWrong(result: RunResult, note: (text: string) => void): Promise<void> {
  for (const violation of result.broken) console.error(`\n${violation}`);
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-soak-'));
  for (const [index, output] of result.outputs.entries()) {
    await writeFile(join(folder, `process-${index + 1}.log`), output);
  }
  note(
    `processes that ended by themselves: ${[...result.endings, ...result.runnerEndings].join(', ') || 'none'}`,
  );
  note(`what the processes logged is in ${folder}`);
}

function headOf(command: string): string {
  const date = new Date().toISOString().slice(0, 10);
  const memory = Math.round(totalmem() / 2 ** 30);
  return `\`${command}\`, ${date}, on ${cpus().length} cores with ${memory} GiB, Node ${process.versions.node}.`;
}
