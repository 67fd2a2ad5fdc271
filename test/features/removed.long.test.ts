import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createTempDir } from '../support/temp-dir.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const list = readFileSync(join(root, 'src/app/features.ts'), 'utf8');
const PLUG = /^import \{ (?<name>\w+) \} from '#features\/(?<folder>[^/]+)\/index\.ts';\n/gm;
const features = [...list.matchAll(PLUG)].map(({ groups }) => ({
  name: groups?.name ?? '',
  folder: groups?.folder ?? '',
}));

/** What the compiler points at once the folder and its line are gone: to be deleted with it. */
const POINTS_TO: Readonly<Record<string, readonly string[]>> = {
  // Its members of `JobEvent` and `OfferSubject`, which nothing decides any more.
  'pull-requests': ['src/app/features.ts'],
  // Commands of the command line, each with its row in `cli/table.ts`.
  reports: ['src/cli/commands/report.ts'],
};

/** The sources without the feature, in a folder of their own. */
async function sourcesWithout({ name, folder }: (typeof features)[number]) {
  const copy = await createTempDir();
  cpSync(join(root, 'src'), join(copy.path, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(copy.path, file));
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  rmSync(join(copy.path, 'src/features', folder), { recursive: true });
  const others = list
    .replace(PLUG, (line, _name, of: string) => (of === folder ? '' : line))
    .replace(new RegExp(`^  ${name},\n`, 'm'), '');
  writeFileSync(join(copy.path, 'src/app/features.ts'), others);
  return copy;
}

/** The files with errors of types. */
function wrongFiles(folder: string): string[] {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const config = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));
  try {
    execFileSync(tsc, ['--noEmit', '--pretty', 'false', '-p', '.'], { cwd: folder });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: Buffer };
    const files = String(stdout)
      .split('\n')
      .flatMap((line) => /^(?<file>src\/[^(]+)\(\d/.exec(line)?.groups?.file ?? []);
    return [...new Set(files)].sort();
  }
}

test('the list names all folders', () => {
  expect(features.length).toBeGreaterThan(2);
});

describe.each(features)('the program without $folder', (feature) => {
  test('is what its compiler asks for', async () => {
    await using copy = await sourcesWithout(feature);
    expect(wrongFiles(copy.path)).toEqual(POINTS_TO[feature.folder] ?? []);
  });
});
