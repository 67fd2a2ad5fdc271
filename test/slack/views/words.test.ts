import { describe, expect, test } from 'vitest';
import { stateGroups } from '../../browser/support/states.ts';
import { readSources, withoutComments } from '../../support/sources.ts';
import { allTexts } from './support/all-texts.ts';

const VIEWS = 'src/slack/views';
const posted = stateGroups.flatMap(({ title, states }) =>
  Object.entries(states).map(([name, { text }]): [string, string] => [`${title}: ${name}`, text]),
);

const ICON = /\p{Extended_Pictographic}/gu;
/** Each has the two repeat verbs for what it means: *Start again*, *Send again*. */
const REPEAT = /\b(?:run (?:it )?again|rerun|retry|retries|resend|redo)\b/i;

describe('what people read in Slack', () => {
  test('is all in the tables of texts, where this test finds it', () => {
    expect(allTexts.length).toBeGreaterThan(250);
    const isTable = /\/(?:texts\/.*|parts\/(?:buttons|words)|install-page)\.ts$/;
    const code = readSources(VIEWS).filter(({ path }) => !isTable.test(path));
    const elsewhere = code.flatMap(({ path, text }) => wordsIn(text).map((words) => `${path}: ${words}`));
    expect(elsewhere).toEqual([]);
  });

  test.each([...allTexts, ...posted])('%s', (at, text) => {
    expect(text).not.toMatch(/agent API|\bprompt\b|follow-up/i);
    expect(text).not.toMatch(/nothing (?:was|has been) (?:started|changed|kept|sent)/i);
    expect(text).not.toMatch(REPEAT);
    expect(text).not.toMatch(/\b(?:did|does|could) not\b|\bcannot\b/);
    // The legend says what each icon means.
    const lines = text.split(at === 'help.ts.help.receipts' ? ' · ' : '\n');
    for (const line of lines) expect(line.match(ICON)?.length ?? 0).toBeLessThan(2);
  });
});

/** Markup, and texts of several words, in code. */
function wordsIn(source: string): string[] {
  const code = withoutComments(source).replace(/^import .*$/gm, '');
  const literals = code.matchAll(
    /(?<tag>mrkdwn)?`(?<text>(?:[^`\\\n]|\\.)*)`|'(?<quoted>(?:[^'\\\n]|\\.)*)'/g,
  );
  return [...literals].flatMap(({ groups: { tag, text, quoted } = {} }) => {
    const said = (text ?? quoted ?? '').replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '');
    const isWords = tag === undefined ? /[a-z]{2,} [a-z]/i : /[a-z]{2}/i;
    return isWords.test(said) ? [said] : [];
  });
}
