import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingNames } from '../../src/app/config/settings.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('README.md', root), 'utf8');

describe('README.md', () => {
  test('lists exactly the settings there are', () => {
    const [, section = ''] = /\n## Settings\n(.*?)\n## /s.exec(page) ?? [];
    const cells = [...section.matchAll(/^\| (`.*?) +\|/gm)].map(([, cell = '']) => cell);
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect(listed.toSorted()).toEqual([...settingNames].toSorted());
  });

  test('shows the defaults of .env.example', () => {
    const example = readFileSync(new URL('.env.example', root), 'utf8');
    for (const [, name = '', value = ''] of example.matchAll(/^# ([A-Z_]+)=(\S+)$/gm)) {
      const rows = page.split('\n').filter((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(rows.join('\n'), name).toContain(`\`${value}\``);
    }
  });

  test('links to files that are there', () => {
    const targets = [...page.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => !existsSync(new URL(target, root)))).toEqual([]);
  });
});
