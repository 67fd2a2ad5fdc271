import { readdirSync } from 'node:fs';
import { buttons } from '../../../../src/slack/views/parts/buttons.ts';
import { labels } from '../../../../src/slack/views/parts/words.ts';

const TABLES = new URL('../../../../src/slack/views/texts/', import.meta.url);

/** Stands for whatever a text is filled in with: a number, a word, or markup. */
const filling = Object.assign(new String('7'), { mrkdwn: '7' });

/** All texts in a table, by where they are. */
function textsIn(at: string, value: unknown): [at: string, text: string][] {
  if (typeof value === 'string') return [[at, value]];
  if (typeof value === 'function') return textsIn(at, value(...Array(value.length).fill(filling)));
  if (typeof value !== 'object' || value === null) return [];
  if ('mrkdwn' in value) return textsIn(at, value.mrkdwn);
  return Object.entries(value).flatMap(([name, part]) => textsIn(`${at}.${name}`, part));
}

const tables = await Promise.all(
  readdirSync(TABLES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map(async (file) => textsIn(file, await import(new URL(file, TABLES).href))),
);

/** Whatever the program can say in Slack, by where it is written. */
export const allTexts: readonly [at: string, text: string][] = [
  ...tables.flat(),
  ...textsIn('labels', labels),
  ...Object.entries(buttons).map(([name, { label }]): [string, string] => [`buttons.${name}`, label]),
];
