import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { failPoints } from '../crash/support/points.ts';
import { agentFaults } from '../faults/agent-faults.ts';
import { slackFaults } from '../faults/slack-faults.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');

/** The cells of the first table after the heading, without its head. */
function tableAfter(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(section) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('docs/reliability.md', () => {
  test('lists the faults of Slack that are tested, and what they are taken for', () => {
    expect(tableAfter('Faults of Slack')).toEqual(slackFaults.map(({ name, outcome }) => [name, outcome]));
  });

  test('lists the faults of the agent API that are tested, and what they are taken for', () => {
    const tested = agentFaults.map(({ name, create, message }) => [name, create, message]);
    expect(tableAfter('Faults of the agent API')).toEqual(tested);
  });

  test('lists the fail points that are tested, and what is promised of them', () => {
    const rows = failPoints.map(({ kind, at, crashed, before, after }) => {
      const then = crashed === null ? '' : `, after a kill ${crashed.when} “${crashed.at}”`;
      return [`${kind} “${at}”${then}`, ...[before, after].map((promised) => promised.replaceAll('_', ' '))];
    });
    expect(tableAfter('Fail points')).toEqual(rows);
  });

  test('names tests that exist', () => {
    const names = [...page.matchAll(/`(test\/[^`]*)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !existsSync(fileURLToPath(new URL(name, root))))).toEqual([]);
  });
});
