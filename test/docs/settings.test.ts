import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingNames } from '../../src/app/config/settings.ts';

const root = new URL('../../', import.meta.url);
const rows = readFileSync(new URL('docs/operations/settings.md', root), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));

describe('docs/operations/settings.md', () => {
  test('lists exactly the settings there are', () => {
    const cells = rows.map((row) => row.split('|')[1] ?? '');
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect(listed.toSorted()).toEqual([...settingNames].toSorted());
  });

  test('shows the defaults of .env.example', () => {
    const example = readFileSync(new URL('.env.example', root), 'utf8');
    for (const [, name = '', value = ''] of example.matchAll(/^# ([A-Z_]+)=(\S+)$/gm)) {
      const row = rows.filter((line) => line.includes(`\`${name}\``)).join('\n');
      expect(row, name).toContain(`\`${value}\``);
    }
  });
});
