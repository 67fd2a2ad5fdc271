import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../support/child-program.ts';
import type { Operation } from '../../support/invariants/elle.ts';
import { createTempDir } from '../../support/temp-dir.ts';

const jar = process.env.ELLE_CLI;
if (jar === undefined)
  console.log('Skipped: Elle does not judge (ELLE_CLI: the jar of https://github.com/ligurio/elle-cli).');

/** Elle finds these anomalies in a history that should be strictly serializable: for none, none at all. */
export async function expectJudged(
  history: readonly Operation[],
  anomalies: readonly string[],
): Promise<void> {
  if (jar === undefined) return;
  await using folder = await createTempDir();
  const path = join(folder.path, 'history.json');
  writeFileSync(path, JSON.stringify(history));
  const options = ['--model', 'list-append', '--consistency-models', 'strict-serializable', '--verbose'];
  await using elle = runCommand(['java', '-jar', jar, ...options, path], { PATH: process.env.PATH });
  const { code } = await elle.exit;
  const output = elle.output();
  // 1: it found something.
  if (code !== 0 && code !== 1) throw new Error(`Elle could not judge:\n${output}`);
  const verdict = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1);
  const { 'valid?': isValid, 'anomaly-types': found = [] } = JSON.parse(verdict);
  expect({ isValid, found }, verdict).toEqual({
    isValid: anomalies.length === 0,
    found: anomalies.length === 0 ? [] : expect.arrayContaining([...anomalies]),
  });
}
