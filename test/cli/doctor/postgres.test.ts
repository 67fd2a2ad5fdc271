import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../../support/postgres.ts';
import { one, type Patient, startPatient } from './support.ts';

describe.skipIf(testServerUrl === undefined)('a store on Postgres', () => {
  async function start(): Promise<{ patient: Patient; database: TestDatabase }> {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    const patient = await startPatient();
    onTestFinished(() => patient[Symbol.asyncDispose]());
    patient.env.DATABASE_URL = database.url;
    return { patient, database };
  }

  test('is tried without leaving a trace, while replicas use it', async () => {
    const { patient, database } = await start();
    const store = await openStore({ databaseUrl: database.url });
    onTestFinished(() => store.close());
    await store.transaction(async (tx) => {
      await tx.inboundRequests.remember(['event:1'], 1);
      const findings = await patient.look();
      expect(one(findings, 'store').found).toContain('can be written');
      expect(one(findings, 'store_schema').found).toMatch(/^up to date \(\d{4}_\w+\)$/);
    });
    expect(await database.query('select * from heartbeat')).toEqual([]);
  });

  test('that cannot be written is reported', async () => {
    const { patient, database } = await start();
    await (await openStore({ databaseUrl: database.url })).close();
    const { pathname } = new URL(database.url);
    await database.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
    expect(await patient.finding('store')).toMatchObject({
      level: 'error',
      found: expect.stringContaining('read-only'),
      next: expect.stringContaining('must lead to the primary'),
    });
  });

  test('in which the user may not make tables is reported before the first start', async () => {
    const { patient, database } = await start();
    await database.query('revoke create on schema public from public');
    const user = `nobody_${Date.now()}`;
    await database.query(`create role ${user} login`);
    onTestFinished(async () => {
      await database.query(`drop role ${user}`);
    });
    const url = new URL(database.url);
    url.username = user;
    patient.env.DATABASE_URL = url.href;
    expect(await patient.finding('store')).toMatchObject({
      level: 'error',
      found: 'Postgres failed: permission denied for schema public (42501).',
      next: expect.stringContaining('the right to create and write tables'),
    });
  });
});
