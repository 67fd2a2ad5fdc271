import { readFileSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { markdownTable } from '../../bench/support/table.ts';
import { type SettingName, settingNames, settings } from '../../src/app/config/settings.ts';
import { parse, required } from '../support/settings.ts';

/** `npm run settings-docs` writes what the tests would compare. */
const isWriting = process.env.WRITE_SETTINGS_DOCS === '1';

const envExample = new URL('../../.env.example', import.meta.url);
const page = new URL('../../docs/operations/settings.md', import.meta.url);

/** The headings of `.env.example`, each above its first setting. */
const SECTIONS: Partial<Record<SettingName, string>> = {
  SLACK_BOT_TOKEN: 'Slack',
  AGENT_BASE_URL: 'The agent API',
  GITHUB_TOKEN: 'Code hosts: what becomes of pull requests (see docs/operations/code-hosts.md)',
  DATABASE_URL: 'Where requests are kept',
  PORT: "HTTP: Slack's requests in HTTP mode; /livez, /readyz and /metrics in both modes",
  ADMINS: 'Behaviour',
};

const HEAD = `# Settings of docs-agent. Copy this file to .env and fill in the first part; the rest are the defaults.
# A secret NAME (marked 🔒) can also be given as NAME_FILE, the path of a file that holds it.
# Durations: 500ms, 5s, 2m, 1h, 180d.
`;

function commented(text: string): string {
  return text.replace(/(.{1,116})(?: |$)/g, '# $1\n').trimEnd();
}

function linesOf(name: SettingName): string {
  const { help, example, check, isSecret = false } = settings[name];
  const heading = SECTIONS[name] === undefined ? [] : [`\n# --- ${SECTIONS[name]} `.padEnd(101, '-')];
  const value = `${name in required ? '' : '# '}${name}=${check instanceof z.ZodPrefault ? example : ''}`;
  return [...heading, commented(isSecret ? `🔒 ${help}` : help), value].join('\n');
}

function cellsOf(name: SettingName): string[] {
  const { help, example, check, isSecret = false } = settings[name];
  const shown = help.replaceAll('|', '\\|');
  return [
    `\`${name}\`${isSecret ? ' 🔒' : ''}`,
    shown,
    check instanceof z.ZodPrefault ? `\`${example}\`` : '',
  ];
}

function expectGenerated(url: URL, generated: string): void {
  if (isWriting) writeFileSync(url, generated);
  expect(readFileSync(url, 'utf8')).toBe(generated);
}

test('.env.example is what the settings say (`npm run settings-docs` makes it)', () => {
  expectGenerated(envExample, `${HEAD}${settingNames.map(linesOf).join('\n')}\n`);
});

test('the table of docs/operations/settings.md is what the settings say', () => {
  const table = markdownTable([['variable', 'meaning', 'default'], ...settingNames.map(cellsOf)]);
  const written = readFileSync(page, 'utf8');
  expectGenerated(
    page,
    written.replace(/^\| variable[\s\S]*?\n(?!\|)/m, () => `${table}\n`),
  );
});

test('the lines of .env.example set the defaults', () => {
  const everything = parseEnv(readFileSync(envExample, 'utf8').replace(/^# (?=[A-Z_]+=)/gm, ''));
  // An empty list of notice channels is noticed.
  expect(parse({ ...everything, ...required, NOTICE_CHANNELS: undefined })).toEqual(parse({}));
});
