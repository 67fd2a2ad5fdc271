import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { mountCutDisk, noCutDisk } from './support/cut-disk.ts';

const WRITER = join(import.meta.dirname, 'power-cut-writer.ts');
/** How much is written before each cut: among them such that SQLite is just moving its log to the file. */
const CUTS_AFTER = [50, 400, 3_000, 15_000, 45_000];

/** What the store had said that it had before the power was cut, and what it had afterwards. */
async function cutPowerAfter(count: number) {
  using disk = mountCutDisk();
  const writer = spawn(process.execPath, [WRITER, disk.path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  const end = once(writer, 'close');
  const enough = Promise.withResolvers<void>();
  let lines = 0;
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    lines += text.split('\n').length - 1;
    if (lines >= count) enough.resolve();
  });
  await Promise.race([enough.promise, end]);
  // A flush that is under way when ext4 is stopped may succeed although nothing was written: any program sees that.
  const before = printed;
  disk.cutPower();
  writer.kill('SIGKILL');
  await end;
  disk.restart();
  const { kept, integrity } = storedOn(disk.path);
  const said = before.split('\n').slice(0, -1).map(Number);
  return { said: said.length, lost: said.filter((number) => !kept.has(number)).length, integrity };
}

/** Nothing, if the file cannot be read. */
function storedOn(path: string): { readonly kept: ReadonlySet<number>; readonly integrity: string } {
  const file = new DatabaseSync(join(path, 'docs-agent.db'));
  try {
    const { integrity_check: integrity } = file.prepare('pragma integrity_check').get() ?? {};
    const rows = file.prepare('select at from inbound_request').all();
    return { kept: new Set(rows.map(({ at }) => Number(at))), integrity: String(integrity) };
  } catch (error) {
    return { kept: new Set(), integrity: String(error) };
  } finally {
    file.close();
  }
}

const title = 'a power cut';
describe.skipIf(noCutDisk !== null)(noCutDisk === null ? title : `${title} (skipped: ${noCutDisk})`, () => {
  test.each(CUTS_AFTER)(
    'after %i requests loses none that was acknowledged',
    { timeout: 180_000 },
    async (count) => {
      const { said, lost, integrity } = await cutPowerAfter(count);
      expect({ lost, integrity }).toEqual({ lost: 0, integrity: 'ok' });
      expect(said).toBeGreaterThanOrEqual(count);
    },
  );
});
