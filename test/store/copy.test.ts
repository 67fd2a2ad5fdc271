import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyStore } from '../../src/store/copy.ts';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import { createTestDatabase, queryAt, testServerUrl } from '../support/postgres.ts';
import { createTempDir } from '../support/temp-dir.ts';

const PR = 'https://github.com/acme/docs/pull/7';
const NOW_MS = Date.UTC(2026, 10, 23);

async function emptyDirectory(): Promise<{ dataDir: string }> {
  const folder = await createTempDir();
  onTestFinished(() => folder.remove());
  return { dataDir: folder.path };
}

async function emptyDatabase(serverUrl: string): Promise<{ databaseUrl: string }> {
  const database = await createTestDatabase(serverUrl);
  onTestFinished(() => database.drop());
  return { databaseUrl: database.url };
}

async function copy(from: StoreLocation, to: StoreLocation): Promise<ReadonlyMap<string, number>> {
  const copied = new Map<string, number>();
  await copyStore(from, to, { nowMs: NOW_MS, onCopied: (table, rows) => copied.set(table, rows) });
  return copied;
}

/** A store with something in it. */
async function remembering(location: StoreLocation, ...keys: string[]): Promise<void> {
  await using store = await opened(location);
  await store.transaction((tx) => tx.inboundRequests.remember(keys, NOW_MS));
}

async function countIn({ databaseUrl }: { databaseUrl: string }): Promise<number> {
  const [row] = await queryAt(databaseUrl, 'select count(*) from inbound_request');
  return Number(row?.count);
}

async function opened(location: StoreLocation) {
  const store = await openStore(location);
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

async function finished(world: StrictWorld): Promise<void> {
  for (const { id } of world.api.jobs) world.api.finish(id, { status: 'completed', prLink: PR });
}

describe.skipIf(testServerUrl === undefined)('moving a store to the other database', () => {
  const serverUrl = testServerUrl ?? '';

  test('open jobs, waiting replies, numbers and settings go on, in Postgres and back in a directory', async () => {
    await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0', FOLLOW_UP_WINDOW: '60s' } });
    const card = await world.ask('Add an install guide');
    await world.threadMessage(card, 'On it');
    await world.slack.control.message({
      channel: general,
      user: alice,
      text: 'For Windows, too',
      threadTs: card.ts,
    });
    await world.settled();
    const run = async (location: StoreLocation) => {
      const [databaseUrl, dataDir] =
        'dataDir' in location ? [undefined, location.dataDir] : [location.databaseUrl, undefined];
      Object.assign(world.env, { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, FOLLOW_UP_WINDOW: '1s' });
      await world.restart();
    };
    const first = { dataDir: world.env.DATA_DIR ?? '' };
    const inPostgres = await emptyDatabase(serverUrl);
    await world.service.stop();
    const there = await copy(first, inPostgres);
    expect(there.get('job')).toBe(1);
    expect(there.get('follow_up')).toBe(1);
    await run(inPostgres);
    await world.later(world.prompts, ([prompts]) => prompts?.length === 2, 'the reply to go out');
    expect(world.prompts()).toEqual([['Add an install guide', 'For Windows, too']]);
    const second = await world.ask('Explain the limits');
    await world.threadMessage(second, 'On it');

    const back = await emptyDirectory();
    await world.service.stop();
    expect((await copy(inPostgres, back)).get('job')).toBe(2);
    await run(back);
    await finished(world);
    for (const thread of [card, second]) await world.threadMessage(thread, PR);
    await world.ask('A third');
    await world.service.stop();
    const file = new DatabaseSync(join(back.dataDir, 'docs-agent.db'), { readOnly: true });
    const numbers = file.prepare('select number from job order by requested_at').all();
    file.close();
    expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  test('the store that was copied refuses to start, and says where its jobs go on', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await remembering(from, 'a');
    await copy(from, to);
    await expect(openStore(from)).rejects.toThrow(
      /was copied to Postgres at .*Start docs-agent on that one/s,
    );
    await remembering(to, 'b');
    await expect(copy(to, from)).rejects.toThrow(/is not empty/);
  });

  test('a target that is not empty is refused, and nothing changes', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await remembering(from, 'a');
    await remembering(to, 'b');
    await expect(copy(from, to)).rejects.toThrow(/is not empty \(it has rows in inbound_request\)/);
    expect(await countIn(to)).toBe(1);
    await remembering(from, 'c');
  });

  test('a store that a docs-agent uses is not copied', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await using embedded = await opened(from);
    await expect(copy(from, to)).rejects.toThrow(/in use by another docs-agent/);
    await embedded.close();
    await using running = await opened(to);
    await running.check();
    await expect(copy(from, to)).rejects.toThrow(/A docs-agent uses the store in Postgres/);
  });

  test('a copy that fails leaves the target empty, and the source as it was; it can be made again', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await remembering(from, ...Array.from({ length: 450 }, (_, number) => `key ${number}`));
    await remembering(to);
    await queryAt(
      to.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin
         if (select count(*) from inbound_request) >= 300 then raise 'the disk is full'; end if;
         return new;
       end $$;
       create trigger refuse before insert on inbound_request for each row execute function refuse()`,
    );
    await expect(copy(from, to)).rejects.toThrow(/the disk is full/);
    expect(await countIn(to)).toBe(0);
    await remembering(from, 'one more');
    await queryAt(to.databaseUrl, 'drop trigger refuse on inbound_request');
    expect((await copy(from, to)).get('inbound_request')).toBe(451);
  });

  test('a row that arrives differently is noticed, and nothing is kept', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await remembering(from, 'a');
    await remembering(to);
    await queryAt(
      to.databaseUrl,
      `create function bend() returns trigger language plpgsql as $$ begin new.at = new.at + 1; return new; end $$;
       create trigger bend before insert on inbound_request for each row execute function bend()`,
    );
    await expect(copy(from, to)).rejects.toThrow(/differ in the table inbound_request/);
    expect(await countIn(to)).toBe(0);
  });

  test('after a copy, also one that was killed after its commit, a second one says to keep it', async () => {
    const [from, to] = [await emptyDirectory(), await emptyDatabase(serverUrl)];
    await remembering(from, 'a', 'b');
    await copy(from, to);
    await remembering(to, 'c');
    await expect(copy(from, to)).rejects.toThrow(/was copied to Postgres .* before\. .*do not empty it/);
    expect(await countIn(to)).toBe(3);
  });
});
