import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const FOLDERS = ['src/', 'test/', 'bench/', 'demo/', 'deploy/', 'docs/'];
const NAMED_FILE = /`([\w-][\w./-]*\.ts)`/g;

const inFolders = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(folder, root), { encoding: 'utf8', recursive: true }).map((name) => folder + name),
);
const pages = readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
const texts = [...pages, ...inFolders.filter((name) => /^(src|docs)\/.*\.(ts|md)$/.test(name))];

test('files that pages and comments name by their path, or a part of it, exist', () => {
  const missing = texts.flatMap((text) =>
    [...readFileSync(new URL(text, root), 'utf8').matchAll(NAMED_FILE)]
      .map(([, named = '']) => named)
      .filter((named) => !inFolders.some((file) => file === named || file.endsWith(`/${named}`)))
      .map((named) => `${text} names ${named}`),
  );
  expect(missing).toEqual([]);
});
