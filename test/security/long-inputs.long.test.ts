import { expect, test } from 'vitest';
import { redact } from '../../src/engine/runtime/redact.ts';
import { parseCommand } from '../../src/jobs/requests/command.ts';
import { addressed } from '../../src/jobs/requests/project.ts';
import { isBlank } from '../../src/jobs/requests/prompt.ts';
import { jobReference } from '../../src/slack/protocol/links.ts';
import {
  displayText,
  mentionedUserIds,
  readableText,
  sanitize,
  stripLeadingMention,
} from '../../src/slack/protocol/slack-text.ts';
import { httpUrl } from '../../src/slack/views/parts/pull-request.ts';
import { oneLine, promptTitle, quotedPrompt } from '../../src/slack/views/parts/untrusted.ts';

const LENGTH = 200_000;
/** Generous for a busy machine; what takes time by the square of the length takes minutes. */
const SOON_MS = 2_000;
const nobody = new Map<string, string>();
const docs = { id: 'docs', name: 'docs', noticeChannels: [] };

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseCommand,
  addressed: (text) => addressed(text, [docs], docs),
  isBlank,
  redact,
  jobReference,
  mentionedUserIds,
  readableText: (text) => readableText(text, nobody),
  stripLeadingMention: (text) => stripLeadingMention(text, 'U1'),
  sanitize,
  displayText,
  httpUrl,
  oneLine: (text) => oneLine(text, 100),
  promptTitle: (text) => promptTitle(text, nobody),
  quotedPrompt: (text) => quotedPrompt(text, nobody, 3_000),
};

const pieces = [
  'x',
  ' ',
  '\n',
  '\t',
  '\u200b',
  '<',
  '>',
  '<@',
  '<@U1',
  '<@U1>',
  '<@U1|',
  '<!date^1^{time}|',
  '<https://x|',
  '&amp;',
  '&',
  '|',
  '\r',
  '\r\n',
  '\u0301',
  '\ud83d',
  '👩‍👩‍👧‍👦',
  '\u202e',
  'status ',
  'watch x ',
  'project=x ',
  '-- ',
  'xoxb-',
  'Bearer ',
  'a://a',
  'Unexpected ',
  '/archives/C1/p1234567890',
  'http://[',
  '\u0000',
  '. ',
  '"',
  '\\',
];

test.each(Object.entries(readers))('%s reads long texts in the time that they deserve', (_name, read) => {
  for (const piece of pieces) {
    const long = piece.repeat(Math.ceil(LENGTH / piece.length));
    for (const text of [long, `x ${long}`, `${long} x`, `<@U1> ${long}`, `status ${long}`, `watch ${long}`]) {
      const startedAtMs = performance.now();
      read(text);
      expect(performance.now() - startedAtMs, JSON.stringify(piece)).toBeLessThan(SOON_MS);
    }
  }
});
