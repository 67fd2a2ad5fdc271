import { describe, expect, test } from 'vitest';
import { sqliteError } from '../../src/store/engines/sqlite-errors.ts';

const failure = (errcode: number, message: string) =>
  sqliteError('/data', Object.assign(new Error(message), { errcode }));

describe('an error of SQLite says what, why and what next', () => {
  test.each([
    [6410, 'disk I/O error'],
    [270, 'unable to open database file'],
  ])('%i: there is no folder for temporary files', (code, message) => {
    expect(failure(code, message).message).toBe(
      `The store in /data failed: ${message}. SQLite has no folder for temporary files: set SQLITE_TMPDIR to ` +
        'one in which docs-agent may write.',
    );
  });

  test.each([
    [7, 'more memory', true],
    [3082, 'more memory', false],
    [13, 'room on the disk', true],
    [778, 'faults of the disk', false],
    [1544, 'write in this directory', false],
    [2570, 'faults of the disk', false],
  ])('%i', (code, advice, isTemporary) => {
    const error = failure(code, 'failed');
    expect(error.message).toContain(advice);
    expect(error.isTemporary).toBe(isTemporary);
  });
});
