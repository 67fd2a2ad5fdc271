import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ChildEnv, outcomeOf } from '../support/child-program.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { createTempDir } from '../support/temp-dir.ts';

const run = (args: readonly string[], env: ChildEnv) => outcomeOf(['copy-store', ...args], env);

test.skipIf(testServerUrl === undefined)(
  'copy-store says what it copied, and which setting to change; then the old store does not start',
  async () => {
    await using folder = await createTempDir();
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    // It may have a password.
    const address = join(folder.path, 'address');
    await writeFile(address, database.url);
    const { code, output } = await run(['--to-file', address], { DATA_DIR: join(folder.path, 'data') });
    expect(output).toMatch(/^ {2}job: 0$/m);
    expect(output).toMatch(/Copied and checked: .* → Postgres at .*\. Now set DATABASE_URL to this database/);
    expect(code).toBe(0);
  },
);

test('copy-store without a target says how to name one, and changes nothing', async () => {
  await using folder = await createTempDir();
  const { code, output } = await run([], { DATA_DIR: folder.path });
  expect(output).toMatch(/^Name the target: --to postgres:/);
  expect(code).toBe(64);
});

test('copy-store takes no password in its arguments: it says where to put it, and does not show it', async () => {
  await using folder = await createTempDir();
  for (const to of [
    'postgres://docs:hunter2@127.0.0.1:1/docs',
    'postgres://docs@127.0.0.1:1/docs?password=hunter2',
  ]) {
    const { code, output } = await run(['--to', to], { DATA_DIR: folder.path });
    expect(output).toMatch(/PGPASSWORD, or .* --to-file <path>/);
    expect(output).not.toContain('hunter2');
    expect(code).toBe(64);
  }
});

test('copy-store takes the password from PGPASSWORD, or the address from a file, and shows neither', async () => {
  await using folder = await createTempDir();
  await using server = await passwordServer();
  const file = join(folder.path, 'address');
  await writeFile(file, `postgres://docs:from-file@${server.address}/docs\n`, { mode: 0o600 });
  const env = { DATA_DIR: join(folder.path, 'data') };
  const to = ['--to', `postgres://docs@${server.address}/docs`];
  const runs = [
    await run(to, { ...env, PGPASSWORD: 'from-environment' }),
    await run(['--to-file', file], env),
  ];
  expect(server.passwords).toEqual(['from-environment', 'from-file']);
  for (const { code, output } of runs) {
    expect(output).toContain('it refuses the user or the password');
    expect(output).not.toMatch(/from-(environment|file)/);
    expect(code).toBe(78);
  }
});

test('copy-store says what is wrong with the file of the address', async () => {
  await using folder = await createTempDir();
  const missing = join(folder.path, 'missing');
  const empty = join(folder.path, 'empty');
  await writeFile(empty, ' \n');
  const outputs = [missing, empty].map(
    async (file) => await run(['--to-file', file], { DATA_DIR: folder.path }),
  );
  const [ofMissing, ofEmpty] = await Promise.all(outputs);
  expect(ofMissing).toMatchObject({ code: 64, output: expect.stringContaining('cannot be read (ENOENT)') });
  expect(ofEmpty).toMatchObject({ code: 64, output: expect.stringContaining('is empty') });
  const both = await run(['--to', 'new', '--to-file', empty], { DATA_DIR: folder.path });
  expect(both).toMatchObject({ code: 64, output: expect.stringContaining('Name the target') });
});

/** Asks for a password as Postgres does, remembers it, and refuses it. */
async function passwordServer() {
  const passwords: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (data[0] !== 'p'.charCodeAt(0)) {
        socket.write(Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 3]));
        return;
      }
      // After its type and length; NUL ends it.
      passwords.push(data.subarray(5, -1).toString());
      const fields = Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0');
      const length = Buffer.alloc(4);
      length.writeInt32BE(fields.length + 4);
      socket.end(Buffer.concat([Buffer.from('E'), length, fields]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    passwords,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
