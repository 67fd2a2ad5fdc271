import { readSources, withoutComments } from '../../../support/sources.ts';

const LITERALS =
  /(?<tag>mrkdwn)?`(?<text>(?:[^`\\]|\\.)*)`|'(?<quoted>(?:[^'\\\n]|\\.)*)'|"(?<other>(?:[^"\\\n]|\\.)*)"/g;
const FILLED_IN = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** Whatever the views can say in Slack, and their other literals, by where it is written; `7` stands for what is filled in. */
export const allLiterals: readonly [at: string, text: string][] = readSources('src/slack/views').flatMap(
  ({ path, text: source }) => {
    const code = withoutComments(source).replace(/^(?:import|\} from) .*$/gm, '');
    return [...code.matchAll(LITERALS)].map(({ groups: { text, quoted, other } = {} }): [string, string] => {
      const said = (text ?? quoted ?? other ?? '').replace(FILLED_IN, '7').replaceAll('\\', '');
      return [path.replace('src/slack/views/', ''), said];
    });
  },
);

/** Several words, or the first of a sentence: what people read. */
export const allTexts = allLiterals.filter(([, text]) => /[a-z]{2,} [a-z]|^\P{L}*\p{Lu}\p{Ll}/u.test(text));
