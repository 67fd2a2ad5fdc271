import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { required } from '../support/settings.ts';

const PATH = './docs-agent.yml';
const settings = {
  ...required,
  DOCS_AGENT_CONFIG: PATH,
  RELEASE_HOOK_SECRET: `whsec_${'A'.repeat(32)}`,
};

test.each(['marks', 'recipes', 'workflows', 'operations/reports', 'runner'])(
  'what docs/%s.md shows of the file is right',
  (page) => {
    const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
    const blocks = [...text.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)];
    const files = blocks
      .map(([, indent = '', yaml = '']) => yaml.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
      // The other is GitHub's.
      .filter((yaml) => !yaml.startsWith('on:'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(Object.keys(parseConfig(settings, () => file)), file).toContain('projects');
    }
  },
);
