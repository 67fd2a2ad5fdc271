import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { storeContract } from '../contract/store-contract.ts';

const GROWING = new Set([
  'audit_entry',
  'job',
  'call',
  'catch_up',
  'follow_up',
  'inbound_request',
  'past_notice',
  'past_thread',
  'task',
]);
/** Very many rows have the same in these: an index that leads no further leads through the table. */
const SHARED = /\((team_id|channel_id|project_id|stage|kind|state)=\?\)$/;

/**
 * They read what is open, which does not grow with what is over; begin where the index does and soon end; or leap from
 * one group to the next.
 */
const ALLOWED = [
  'update task set lease_token = null, lease_until = null where lease_until is not null',
  'select kind, run_at from (',
  'with recursive groups (group_key) as',
  'select "stage", count(*) as "count" from "job" where "stage" in',
  'insert into catch_up (job_id, team_id',
  'select min("requested_at") as "at" from "catch_up"',
];
/** A list without values. */
const NOTHING = ' in ()';

const root = mkdtempSync(join(tmpdir(), 'docs-agent-contract-'));
const { prepare } = DatabaseSync.prototype;
const asked = new Set<string>();

DatabaseSync.prototype.prepare = function noted(sql) {
  asked.add(sql);
  return prepare.call(this, sql);
};
afterAll(() => {
  DatabaseSync.prototype.prepare = prepare;
  rmSync(root, { recursive: true });
});

storeContract('the store in a directory', () => {
  const dataDir = join(root, 'data');
  rmSync(dataDir, { recursive: true, force: true });
  return openStore({ dataDir });
});

test('no query of the store reads through all jobs, calls, replies, requests, threads or tasks', async () => {
  const queries = [...asked]
    .map((sql) => sql.trim())
    .filter((sql) => /^(select|with|insert|update|delete) /.test(sql) && !sql.includes('changed_job'));
  expect(queries.length).toBeGreaterThan(100);
  const dataDir = join(root, 'empty');
  await (await openStore({ dataDir })).close();
  const file = new DatabaseSync(join(dataDir, 'docs-agent.db'));
  const slow = queries.filter((sql) => {
    if (sql.includes(NOTHING) || ALLOWED.some((start) => sql.startsWith(start))) return false;
    const steps = prepare.call(file, `explain query plan ${sql}`).all();
    return steps.some(({ detail }) => isSlow(String(detail)));
  });
  file.close();
  expect(slow).toEqual([]);
});

test('no query of the store has SQLite prepare it again for each limit', () => {
  expect([...asked].filter((sql) => /\blimit \?/i.test(sql))).toEqual([]);
});

function isSlow(step: string): boolean {
  const [, way, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(step) ?? [];
  return GROWING.has(table) && (way === 'SCAN' || SHARED.test(step));
}
