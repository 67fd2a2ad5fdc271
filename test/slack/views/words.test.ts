import { describe, expect, test } from 'vitest';
import { sheets } from '../../browser/support/states.ts';
import { allTexts } from './support/all-texts.ts';

// Somebody's own words are in the request of the workflow.
const { workflow: _, ...others } = sheets;
const posted = Object.values(others).flatMap(({ title, states }) =>
  Object.entries(states).map(([name, { text }]): [string, string] => [`${title}: ${name}`, text]),
);

const ICON = /\p{Extended_Pictographic}/gu;
/** Each has the two repeat verbs for what it means: *Start again*, *Send again*. */
const REPEAT = /\b(?:run (?:it )?again|rerun|retry|retries|resend|redo)\b/i;

describe('what people read in Slack', () => {
  test('is found by this test', () => {
    expect(allTexts.length).toBeGreaterThan(350);
  });

  test.each([...allTexts, ...posted])('%s', (_at, text) => {
    expect(text).not.toMatch(/agent API|\bprompt\b|follow-up/i);
    expect(text).not.toMatch(/nothing (?:was|has been) (?:started|changed|kept|sent)/i);
    expect(text).not.toMatch(REPEAT);
    expect(text).not.toMatch(/\b(?:did|does|could) not\b|\bcannot\b/);
    // The legend says what each icon means.
    const lines = text.split(text.startsWith('👀') ? ' · ' : '\n');
    for (const line of lines) expect(line.match(ICON)?.length ?? 0).toBeLessThan(2);
  });
});
