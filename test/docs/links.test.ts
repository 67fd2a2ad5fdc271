import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const list = (folder: string) =>
  readdirSync(new URL(folder, root), { encoding: 'utf8', recursive: folder !== '' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name);
const pages = [...list(''), ...list('docs/')].sort();
const read = (url: URL) => readFileSync(url, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => anchorOf(heading));
  const seen = new Map<string, number>();
  return new Set(
    headings.map((anchor) => {
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

function anchorOf(heading: string): string {
  const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return shown
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** What is wrong with a link in a page, or null; links to other sites are not followed. */
function problemOf(link: string, page: URL): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const target = new URL(link, page);
  const anchor = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  if (!existsSync(target)) return `${link}: there is no such file`;
  if (anchor === '') return null;
  return anchorsOf(read(target)).has(anchor) ? null : `${link}: there is no such heading`;
}

describe('the links of the documentation lead somewhere', () => {
  test.each(pages)('%s', (name) => {
    const page = new URL(name, root);
    const text = read(page).replaceAll(/`[^`\n]*`/g, '');
    const links = [
      ...[...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link),
      ...[...text.matchAll(/^\[[^\]]+\]: +(\S+)$/gm)].map(([, link = '']) => link),
    ];
    expect(links.map((link) => problemOf(link, page)).filter((problem) => problem !== null)).toEqual([]);
  });

  test.each([
    ['docs/operations/', 'docs/operations/README.md', ''],
    ['docs/architecture/', 'ARCHITECTURE.md', 'docs/architecture/'],
  ])('every page of %s is linked from %s', (folder, indexName, prefix) => {
    const index = read(new URL(indexName, root));
    const names = readdirSync(new URL(folder, root)).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !index.includes(`](${prefix}${name}`))).toEqual([]);
  });
});
