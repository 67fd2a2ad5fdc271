import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';

const FIXTURES = join(import.meta.dirname, '../e2e/fixtures/0.1.0');

type Old = Readonly<Record<string, unknown>>;

/** A database as version 0.1.0 left it, before the program of today has opened it. */
interface OldDatabase {
  readonly location: StoreLocation;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

function onSqlite(): Promise<OldDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docs-agent-words-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const inFile = <T>(use: (file: DatabaseSync) => T): T => {
    const file = new DatabaseSync(join(dataDir, 'docs-agent.db'));
    try {
      return use(file);
    } finally {
      file.close();
    }
  };
  inFile((file) => file.exec(readFileSync(join(FIXTURES, 'sqlite.sql'), 'utf8')));
  return Promise.resolve({
    location: { dataDir },
    query: (sql) => Promise.resolve(inFile((file) => file.prepare(sql).all())),
  });
}

async function onPostgres(serverUrl: string): Promise<OldDatabase> {
  const database = await createTestDatabase(serverUrl);
  onTestFinished(() => database.drop());
  await database.query(readFileSync(join(FIXTURES, 'postgres.sql'), 'utf8'));
  return { location: { databaseUrl: database.url }, query: (sql) => database.query(sql) };
}

suite('SQLite', onSqlite);
if (testServerUrl === undefined) {
  describe.skip('Postgres (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('as on SQLite', () => {});
  });
} else {
  const url = testServerUrl;
  suite('Postgres', () => onPostgres(url));
}

function suite(name: string, open: () => Promise<OldDatabase>): void {
  describe(`what version 0.1.0 stored is read by today's names, on ${name}`, () => {
    test('every field of every job', async () => {
      const old = await open();
      const [first, second, third] = await jobsOf(old);
      await rewrite(old, first, { attachedTo: 'agent-9' });
      await rewrite(old, second, { trouble: { kind: 'unreachable', told: true, misses: 3 } });
      const thread = { threadTs: '1.000000', lastTs: '2.000000' };
      await rewrite(old, third, {
        prompt: 'A "told": of "stage":{"kind":"asking"',
        stage: { kind: 'unopened', reason: 'no', thread },
        trouble: { kind: 'unreachable', told: false, misses: 1 },
      });
      await old.query(`update job set stage = 'unopened' where id = '${third?.id}'`);
      const before = await jobsOf(old);
      const store = await opened(old);
      for (const job of before)
        expect(await jobIn(store, job.id)).toEqual({ ...asToday(job), number: expect.any(Number) });
      const { stage } = (await old.query(`select stage from job where id = '${third?.id}'`))[0] ?? {};
      expect(stage).toBe('card_failed');
      expect(
        before.map(asToday).filter(({ stage: { kind } }) => kind === 'awaiting_confirmation'),
      ).toHaveLength(1);
      const announced = before.filter(({ told }) => told !== null);
      expect(announced.length).toBeGreaterThan(5);
    });

    test('calls that are not made yet, private ones and those whose announcement has a button', async () => {
      const old = await open();
      const [job] = await jobsOf(old);
      const jobId = String(job?.id);
      const rejected = { kind: 'message_rejected', callId: 'x', count: 1, message: 'no', offer: 'run_again' };
      const tell = { kind: 'tell_requester', reason: 'is_archived', about: rejected };
      const notice = { kind: 'edited_after_sending', messageTs: '1.000100' };
      await addCall(old, jobId, {
        lane: `whisper:${jobId}`,
        request: { kind: 'whisper', userId: 'U1', whisper: notice },
      });
      await addCall(old, jobId, { lane: `requester:${jobId}`, request: tell });
      const store = await opened(old);
      const next = async (lane: string) => (await store.transaction((tx) => tx.calls.next(lane)))?.call;
      expect(await next(`ephemeral:${jobId}`)).toMatchObject({
        state: 'pending',
        createdAtMs: 7,
        request: { kind: 'ephemeral', userId: 'U1', notice },
      });
      const { offer: _offer, ...rest } = rejected;
      expect(await next(`requester:${jobId}`)).toMatchObject({
        request: {
          kind: 'notify_requester',
          reason: 'is_archived',
          about: { ...rest, action: 'start_again' },
        },
      });
      const tasks = await old.query(
        `select id, subject, job_id from task where kind = 'post_to_slack' and run_at = 7`,
      );
      expect(tasks.map(({ id, subject, job_id }) => [id, subject, job_id]).sort()).toEqual(
        ['ephemeral', 'requester'].map((to) => [`post_to_slack:${to}:${jobId}`, `${to}:${jobId}`, jobId]),
      );
    });

    test('ends of turns that are not announced yet: each is one message', async () => {
      const old = await open();
      const jobs = await jobsOf(old);
      const url = 'https://github.com/acme/docs/pull/7';
      const pending = ['new', 'same', 'none'].map((files, index) => ({ files, job: jobs[index] }));
      for (const { files, job } of pending) {
        await rewrite(old, job, { agentJob: { prLink: files === 'none' ? null : url } });
        const announcement = { kind: 'finished', files };
        await addCall(old, String(job?.id), {
          lane: `end:${files}`,
          request: { kind: 'announce', announcement },
        });
      }
      const store = await opened(old);
      const next = async (files: string) =>
        (await store.transaction((tx) => tx.calls.next(`end:${files}`)))?.call ?? null;
      // What follows says it: the announcement of the pull request.
      expect(await next('new')).toBeNull();
      const end = {
        kind: 'turn_ended',
        branch: null,
        lastedMs: null,
        replies: { count: 0, authors: [] },
        undelivered: null,
      };
      expect((await next('same'))?.request).toEqual({
        kind: 'announce',
        announcement: { ...end, link: { url, is: 'same' } },
      });
      expect((await next('none'))?.request).toEqual({
        kind: 'announce',
        announcement: { ...end, link: null },
      });
      expect(await old.query(`select id from call where request like '%"kind":"finished"%'`)).toEqual([]);
    });

    test('replies that were left out, early ones with files, and requests that Slack may deliver again', async () => {
      const old = await open();
      const [{ id } = { id: null }] = await old.query(
        `select id from follow_up where state = 'sent' limit 1`,
      );
      await old.query(`update follow_up set state = 'kept_out' where id = '${id}'`);
      const requests = await old.query('select key from gesture order by key');
      const early = await old.query('select more from early_reply');
      await opened(old);
      expect((await old.query(`select state from follow_up where id = '${id}'`))[0]?.state).toBe('excluded');
      expect(await old.query('select key from inbound_request order by key')).toEqual(requests);
      expect(requests.length).toBeGreaterThan(10);
      const { attached: attachments, ...more } = JSON.parse(String(early[0]?.more));
      const [reply] = await old.query('select more from early_reply');
      expect(JSON.parse(String(reply?.more))).toEqual({ ...more, attachments });
      expect(attachments).toEqual({ snippets: [], others: [] });
    });
  });
}

async function opened({ location }: OldDatabase): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}

interface OldJob extends Old {
  readonly id: string;
  readonly told: unknown;
  readonly stage: { readonly kind: string };
}

async function jobsOf(old: OldDatabase): Promise<OldJob[]> {
  const rows = await old.query('select data from job order by id');
  return rows.map(({ data }) => JSON.parse(String(data)) as OldJob);
}

function rewrite(old: OldDatabase, job: OldJob | undefined, fields: Old): Promise<unknown> {
  const data = JSON.stringify({ ...job, ...fields }).replaceAll("'", "''");
  return old.query(`update job set data = '${data}' where id = '${job?.id}'`);
}

function jobIn(store: Store, jobId: string) {
  return store.transaction((tx) => tx.jobs.get(jobId));
}

const STAGES: Readonly<Record<string, string>> = { asking: 'awaiting_confirmation', unopened: 'card_failed' };

function asToday({ told: lastAnnounced, attachedTo: watchedAgentJobId, trouble, stage, ...same }: OldJob) {
  const { told: isAnnounced, ...rest } = (trouble ?? {}) as Old;
  return {
    ...same,
    lastAnnounced,
    watchedAgentJobId,
    stage: { ...stage, kind: STAGES[stage.kind] ?? stage.kind },
    trouble: trouble === null ? null : { ...rest, isAnnounced },
  };
}

async function addCall(
  old: OldDatabase,
  jobId: string,
  { lane, request }: { readonly lane: string; readonly request: Old },
): Promise<void> {
  const json = JSON.stringify(request);
  await old.query(`
    insert into call (id, natural_key, job_id, project_id, lane, kind, request, state, wanted_at)
    values ('${lane}', '${lane}', '${jobId}', 'acme-docs', '${lane}', '${request.kind as string}', '${json}', 'wanted', 7)`);
  await old.query(`
    insert into task (id, kind, subject, run_at, attempts, revision)
    values ('post_to_slack:${lane}', 'post_to_slack', '${lane}', 7, 0, 1)`);
}
