import { expect, test } from 'vitest';
import { previewIn } from '../../src/features/pull-requests/dialect.ts';
import { PUBLIC_SITES, pullRequestKey, pullRequestName } from '../../src/jobs/pull-requests/link.ts';
import {
  isBlank,
  judgePrompt,
  parseCommand,
  parseProjectPrefix,
  threadWordOf,
} from '../../src/jobs/requests/command.ts';
import { intentOf } from '../../src/jobs/requests/intent.ts';
import { withoutSecrets } from '../../src/jobs/secrets.ts';
import { redact } from '../../src/runtime/redact.ts';
import { jobReference } from '../../src/slack/protocol/ids.ts';
import {
  displayText,
  escapeMrkdwn,
  mentionedUserIds,
  readableText,
  sanitize,
  stripLeadingMention,
} from '../../src/slack/protocol/slack-text.ts';
import {
  asRead,
  httpUrl,
  oneLine,
  promptTitle,
  quotedPrompt,
  titledPrompt,
  wholePrompt,
} from '../../src/slack/views/text.ts';
import { regularExpressionsOf } from '../support/regular-expressions.ts';

const LENGTH = 20_000;
/** Faster than that, a measurement says more about the machine than about the program. */
const NOTICEABLE_MS = 50;

/** What a text may repeat to be looked at again and again from each of its places. */
const UNITS = [
  ...[' ', '\n', ...'/.-─!:<&`*"%|a0(\\{漢😀'],
  ...['a ', 'a.', '\u0301', '👍🏽', '❤️', '<@', '<@U1|', '&lt;', '> ', '://'],
];
const SHAPES = [
  (unit: string) => `${unit}\u0000`,
  (unit: string) => `a${unit}a`,
  (unit: string) => `status ${unit} x`,
];
const SHORTER = hostile(LENGTH, UNITS);
const LONGER = hostile(2 * LENGTH, UNITS);

function hostile(length: number, units: readonly string[]): string[] {
  return units.flatMap((unit) => SHAPES.map((shape) => shape(unit.repeat(length / unit.length))));
}

/** A text of which twice the length takes much more than twice the time; null: there is none. */
function slowText(run: (text: string) => unknown, units: readonly string[] = []): string | null {
  // Of this thread alone: what else a busy machine does is no fault of ours.
  const msOf = (text: string) => {
    const before = process.threadCpuUsage();
    run(text);
    return process.threadCpuUsage(before).user / 1_000;
  };
  const longer = [...LONGER, ...hostile(2 * LENGTH, units)];
  const slow = [...SHORTER, ...hostile(LENGTH, units)].find((text, index) => {
    const twice = longer[index] ?? '';
    const isSlow = () => {
      const onceMs = msOf(text);
      return msOf(twice) > Math.max(3 * onceMs, NOTICEABLE_MS);
    };
    // Once, it may be the garbage collector.
    return isSlow() && isSlow() && isSlow();
  });
  return slow?.slice(0, 20) ?? null;
}

const { literals, built } = regularExpressionsOf(`${import.meta.dirname}/../..`);

test('all regular expressions can be read, so that all can be measured', () => {
  expect(literals.length).toBeGreaterThan(100);
  // Of literals, and measured by `withoutSecrets`.
  const others = built.filter((where) => !where.startsWith('src/jobs/secrets.ts:'));
  expect(others, 'write a literal').toEqual([]);
});

test.each(literals)('$where takes linear time: /$pattern/$flags', ({ pattern, flags }) => {
  const expression = new RegExp(pattern, flags);
  const words = pattern.match(/[a-z]{2,} ?/gi) ?? [];
  expect(slowText((text) => text.replace(expression, ''), words)).toBeNull();
});

const docs = { id: 'docs', name: 'docs', noticeChannels: [] };

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseCommand,
  threadWordOf,
  intentOf: (text) => intentOf(text),
  withoutSecrets,
  redact,
  isBlank,
  jobReference,
  sanitize,
  httpUrl,
  previewIn,
  asRead: (text) => asRead(text, new Map()),
  mentionedUserIds,
  escapeMrkdwn,
  displayText,
  judgePrompt: (text) => judgePrompt(text, LENGTH),
  readableText: (text) => readableText(text, new Map()),
  addressed: (text) => parseProjectPrefix(text, [docs], docs),
  stripLeadingMention: (text) => stripLeadingMention(text, 'U1'),
  oneLine: (text) => oneLine(text, 100),
  promptTitle: (text) => promptTitle(text, new Map()),
  quotedPrompt: (text) => quotedPrompt(text, new Map(), 3_000),
  titledPrompt: (text) => titledPrompt(text, new Map()),
  wholePrompt: (text) => wholePrompt(text, new Map()),
  pullRequestName: (text) => pullRequestName(`https://github.com/${text}`, PUBLIC_SITES),
  pullRequestKey: (text) => pullRequestKey(`https://github.com/${text}`, PUBLIC_SITES),
};

test.each(Object.entries(READERS))(
  '%s takes linear time for what people and the agent write',
  (_name, read) => expect(slowText(read)).toBeNull(),
);
