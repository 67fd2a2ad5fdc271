import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { storeFailure, storeFindings } from '../../../src/doctor/machine.ts';
import { StoreError } from '../../../src/store/engines/database.ts';
import { openStore } from '../../../src/store/open.ts';
import { migrations } from '../../../src/store/schema/migrations.ts';
import { one, type Patient, startPatient } from './support.ts';

const dataDirOf = ({ env }: Patient) => env.DATA_DIR ?? '';

test('a store that is not there yet is not made', async () => {
  await using patient = await startPatient();
  patient.env.DATA_DIR = join(dataDirOf(patient), 'deeper', 'still');
  const findings = await patient.look();
  expect(one(findings, 'store')).toMatchObject({
    level: 'ok',
    found: `${patient.env.DATA_DIR}, empty; created at the first start`,
  });
  expect(findings.filter(({ check }) => check === 'store_schema')).toEqual([]);
  await expect(readdir(join(dataDirOf(patient), '..'))).rejects.toThrow('ENOENT');
});

test('a folder in which nothing can be made is found, also by root', async () => {
  await using patient = await startPatient();
  patient.env.DATA_DIR = '/proc/docs-agent';
  expect(await patient.finding('store')).toMatchObject({
    level: 'error',
    next: expect.stringContaining('DATA_DIR'),
  });
});

const names = Object.keys(migrations('sqlite'));

test('a store that nobody uses can be written, and is as it was', async () => {
  await using patient = await startPatient();
  const store = await openStore({ dataDir: dataDirOf(patient) });
  await store.transaction((tx) => tx.inboundRequests.remember(['event:1'], 1));
  await store.close();
  const before = await readdir(dataDirOf(patient));
  const findings = await patient.look();
  expect(one(findings, 'store')).toMatchObject({
    level: 'ok',
    found: expect.stringMatching(/, can be written, \d\.\d MiB$/),
  });
  expect(one(findings, 'store_schema')).toMatchObject({ level: 'ok', found: `up to date (${names.at(-1)})` });
  expect(await readdir(dataDirOf(patient))).toEqual(before);
});

test('a store in use is read, and its owner is not disturbed', async () => {
  await using patient = await startPatient();
  const store = await openStore({ dataDir: dataDirOf(patient) });
  await store.transaction(async (tx) => {
    await tx.inboundRequests.remember(['event:1'], 1);
    // In the middle of a transaction, too.
    const findings = await patient.look();
    expect(one(findings, 'store')).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('in use by a running docs-agent'),
    });
    expect(one(findings, 'store_schema').level).toBe('ok');
  });
  await store.check();
  expect(await store.transaction((tx) => tx.inboundRequests.isKnown(['event:1']))).toBe(true);
  await store.close();
});

test('an older schema is not brought up to date by looking, a newer one is refused', async () => {
  await using patient = await startPatient();
  await (await openStore({ dataDir: dataDirOf(patient) })).close();
  const file = new DatabaseSync(join(dataDirOf(patient), 'docs-agent.db'));
  file.exec("update kysely_migration set name = '9999_future' where name = '0001_start'");
  const newer = await patient.finding('store_schema');
  expect(newer).toMatchObject({
    level: 'error',
    found: 'newer than this docs-agent (9999_future)',
    next: 'Start the version that wrote it, or a later one.',
  });
  file.exec('delete from kysely_migration');
  const older = await patient.finding('store_schema');
  expect(older).toMatchObject({
    level: 'warning',
    found: `older than this docs-agent (without ${names.join(', ')})`,
    next: expect.stringContaining('Back up'),
  });
  expect(file.prepare('select * from kysely_migration').all()).toEqual([]);
  file.close();
});

test('something else in place of the directory or of the database', async () => {
  await using patient = await startPatient();
  const folder = dataDirOf(patient);
  await writeFile(join(folder, 'file'), '');
  patient.env.DATA_DIR = join(folder, 'file', 'data');
  expect(await patient.finding('store')).toMatchObject({
    level: 'error',
    found: expect.stringContaining('is not a directory'),
    next: expect.stringContaining('DATA_DIR'),
  });
  patient.env.DATA_DIR = join(folder, 'other');
  await mkdir(patient.env.DATA_DIR);
  await writeFile(join(patient.env.DATA_DIR, 'docs-agent.db'), 'This is not a database.'.repeat(1_000));
  expect(await patient.finding('store')).toMatchObject({
    level: 'error',
    found: expect.stringContaining('not a database'),
    next: expect.stringContaining('restore the directory from a backup'),
  });
});

test('a Postgres that is not there', async () => {
  await using patient = await startPatient();
  patient.env.DATABASE_URL = 'postgres://docs:hunter2@127.0.0.1:2/docs';
  const finding = await patient.finding('store');
  expect(finding).toMatchObject({
    level: 'error',
    found: 'The Postgres database at 127.0.0.1 cannot be reached: nothing listens there.',
    next: expect.stringContaining('DATABASE_URL'),
  });
});

test.each([
  [50, 'error', '50.0 MiB free'],
  [500, 'warning', '500.0 MiB free'],
  [5_000, 'ok', '4.9 GiB free'],
])('%i MiB that are left of the disk', (mib, level, found) => {
  const schema = { applied: ['0001_start'], missing: [], unknown: [] };
  const notices = { saved: [], refused: [] };
  const freeBytes = mib * 1024 ** 2;
  const known = {
    schema,
    notices,
    agentRefusals: [],
    pauses: { reads: [], calls: [] },
    failures: [],
    pullRequests: [],
    otherConnections: 0,
    installations: [],
    organisations: new Map(),
    sizeBytes: 1,
    freeBytes,
    heldLocks: [],
  };
  const facts = { place: '/data', state: 'writable', ...known } as const;
  expect(one(storeFindings(facts), 'store_space')).toMatchObject({ level, found });
});

test('what went wrong without a word on it has advice, too', () => {
  const [finding] = storeFailure(new StoreError('Postgres failed: Query read timeout.'));
  expect(finding).toMatchObject({
    found: 'Postgres failed: Query read timeout.',
    next: expect.stringContaining('Check the database'),
  });
});
