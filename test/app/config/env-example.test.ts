import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { aboutSetting, settingNames } from '../../../src/app/config/settings.ts';
import { parse, required } from '../../support/settings.ts';

describe('.env.example', () => {
  const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');

  test('lists exactly the settings there are', () => {
    const listed = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map((match) => match[1]);
    expect(listed.toSorted()).toEqual([...settingNames].toSorted());
  });

  test.each(settingNames)('says of %s what its declaration says', (name) => {
    const [before = ''] = example.split(new RegExp(`^(?:# )?${name}=`, 'm'));
    const lines = before.trimEnd().split('\n');
    const comment = lines.slice(lines.findLastIndex((line) => !/^# (?![A-Z_]+=|---)/.test(line)) + 1);
    expect(comment.map((line) => line.slice(2)).join(' ')).toContain(aboutSetting(name).help);
  });

  test('shows the defaults', () => {
    const everything = parseEnv(example.replace(/^# (?=[A-Z_]+=)/gm, ''));
    // An empty list of notice channels is noticed.
    expect(parse({ ...everything, ...required, NOTICE_CHANNELS: undefined })).toEqual(parse({}));
    for (const name of ['POLL_MIN_INTERVAL', 'AGENT_TIMEOUT', 'PORT', 'LOG_LEVEL']) {
      expect(everything[name]).not.toBe('');
    }
  });
});
