import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../src/jobs/announcement.ts';
import type { Job, Stage } from '../../../src/jobs/job.ts';
import { escapeMrkdwn } from '../../../src/slack/text/escape.ts';
import { announcementView } from '../../../src/slack/views/announcement.ts';
import { cardView } from '../../../src/slack/views/card.ts';
import { httpUrl } from '../../../src/slack/views/http-url.ts';
import * as limits from '../../../src/slack/views/limits.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';
import { noticeView } from '../../../src/slack/views/notice.ts';
import { reservedWordView } from '../../../src/slack/views/refusals.ts';
import { requesterView } from '../../../src/slack/views/requester.ts';
import { anyCharacter } from '../any-character.ts';
import { aJob, aTrouble } from './a-job.ts';

const names = new Map([['U2', '<!channel> \u202eevil\n\n\n*Finished*']]);

describe('whatever people and the agent API write', () => {
  test('the card stays safe and inside the limits', () => {
    const queue = fc.record({ waiting: fc.nat(), untilMs: fc.option(time()) });
    fc.assert(fc.property(job(), queue, (j, q) => expectSafe(cardView(j, q, names), j)));
  });

  test('announcements do', () => {
    fc.assert(fc.property(announcement(), job(), (a, j) => expectSafe(announcementView(a, j, names), j, a)));
  });

  test('notices do', () => {
    const permalink = fc.option(address());
    fc.assert(
      fc.property(job(), address(), permalink, (j, u, p) =>
        expectSafe(noticeView(j, u, p, names), j, { kind: 'pull_request', url: u, changed: false }),
      ),
    );
  });

  test('private answers do', () => {
    fc.assert(
      fc.property(text(), text(), (reason, p) => expectSafe(requesterView(reason, p, names), aJob())),
    );
    fc.assert(fc.property(text(), (word) => expectSafe(reservedWordView(word), aJob())));
  });
});

/** The markup that is ours: the requester, a notice channel, a time, and a pull request's own address. */
function expectSafe({ text, blocks }: SlackMessage, { requesterId }: Job, said?: Announcement): void {
  const channelId = said?.kind === 'notice_failed' ? said.channelId : '';
  const url = said?.kind === 'pull_request' ? httpUrl(said.url) : null;
  const expectOurs = (mrkdwn: string) => {
    const rest = mrkdwn
      .replaceAll(url === null ? 'no link' : `<${escapeMrkdwn(url)}>`, '')
      .replaceAll(/<!date\^\d+\^\{time\}\|\d\d:\d\d UTC>/g, '')
      .replaceAll(/<@[A-Z0-9]+>/g, (mention) => (mention === `<@${requesterId}>` ? '' : mention))
      .replaceAll(/<#[A-Z0-9]+>/g, (mention) => (mention === `<#${channelId}>` ? '' : mention));
    expect(rest).not.toMatch(/[<>]/);
    expect(rest).not.toMatch(/&(?!amp;|lt;|gt;)/);
  };
  expectOurs(text);
  expect(text.length).toBeLessThanOrEqual(limits.MESSAGE_TEXT_MAX);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]|\n\s*\n\s*\n/u);
  expect(JSON.stringify({ text, blocks }).isWellFormed()).toBe(true);
  expect(JSON.stringify({ text, blocks })).not.toMatch(/\\ud[89a-f]/);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.length).toBeLessThanOrEqual(limits.MESSAGE_BLOCKS_MAX);
  const texts = blocks.flatMap((block) => textsOf(block));
  expect(texts.join('').length).toBeLessThanOrEqual(limits.MESSAGE_BLOCKS_TEXT_MAX);
  for (const { type, text: shown } of textObjects(blocks)) {
    if (type === 'mrkdwn') expectOurs(shown);
  }
}

/** All text of a block, after checking the block's own limits. */
function textsOf(block: KnownBlock): string[] {
  switch (block.type) {
    case 'section': {
      const shown = block.text?.text ?? '';
      expect(shown.trim()).not.toBe('');
      expect(escapedLength(shown)).toBeLessThanOrEqual(limits.SECTION_TEXT_MAX);
      return [shown];
    }
    case 'context':
      expect(block.elements.length).toBeGreaterThan(0);
      expect(block.elements.length).toBeLessThanOrEqual(limits.CONTEXT_ELEMENTS_MAX);
      return block.elements.map((element) => ('text' in element ? element.text : ''));
    case 'actions':
      expect(block.elements.length).toBeLessThanOrEqual(limits.ACTIONS_ELEMENTS_MAX);
      return block.elements.map((element) => expectButton(element));
    default:
      throw new Error(`no view makes a ${block.type} block`);
  }
}

function expectButton(element: Extract<KnownBlock, { type: 'actions' }>['elements'][number]): string {
  if (element.type !== 'button') throw new Error(`no view makes a ${element.type} element`);
  expect(element.text.text.length).toBeLessThanOrEqual(limits.BUTTON_TEXT_MAX);
  expect((element.value ?? '').length).toBeLessThanOrEqual(limits.BUTTON_VALUE_MAX);
  if (element.url !== undefined) {
    expect(element.url).toMatch(/^https?:\/\/[^\s<>|]+$/);
    expect(element.url.length).toBeLessThanOrEqual(limits.BUTTON_URL_MAX);
    expect(httpUrl(element.url)).toBe(element.url);
  }
  return element.text.text;
}

function textObjects(blocks: KnownBlock[]): { type: string; text: string }[] {
  return blocks.flatMap((block) => {
    if (block.type === 'section') return block.text ? [block.text] : [];
    if (block.type !== 'context') return [];
    return block.elements.flatMap((element) => ('text' in element ? [element] : []));
  });
}

function escapedLength(shown: string): number {
  return shown.length + 4 * (shown.match(/&/g) ?? []).length;
}

function hostileWords() {
  return fc.constantFrom(
    '<!channel>',
    '<!here|x>',
    '<!subteam^S1>',
    '<@U1>',
    '<@U2>',
    '<#C1|general>',
    '<https://evil.example|github.com>',
    '&lt;!channel&gt;',
    '&amp;lt;',
    '&',
    '<',
    '>',
    '|',
    'javascript:alert(1)',
    '\u0000',
    '\u001b[2J',
    '\u202e',
    '\u2066',
    '\ud800',
    '\udc00',
    '👩‍💻',
    'e\u0301\u0301\u0301',
    '\u200b',
    '\n',
    '\n\n\n\n',
    '\r',
    '```',
    '*',
    '_',
    '://',
    ' ',
    'word',
  );
}

function text() {
  const short = fc.string({
    unit: fc.oneof(hostileWords(), anyCharacter),
    maxLength: 30,
  });
  const endless = fc
    .tuple(hostileWords(), short)
    .map(([word, end]) => word.repeat(40_000 / word.length) + end);
  return fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: endless });
}

function address() {
  const pullRequest = 'https://github.com/acme/docs/pull/7';
  const withTail = text().map((tail) => `${pullRequest}?${tail.slice(0, 2500)}#${tail.slice(0, 9)}`);
  return fc.oneof(text(), withTail, fc.constantFrom(pullRequest, `${pullRequest}?${'&'.repeat(2900)}`));
}

function time() {
  return fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.double());
}

function slackId() {
  return fc.oneof(fc.constantFrom('U1', 'C9'), text());
}

function job(): fc.Arbitrary<Job> {
  const stage = fc.oneof<fc.Arbitrary<Stage>[]>(
    fc.constantFrom<Stage>(
      { kind: 'opening' },
      { kind: 'creating' },
      { kind: 'create_unknown', callId: 'c' },
    ),
    fc.constant<Stage>({ kind: 'working', turnStartedAtMs: 0, settle: null }),
    text().map((message) => ({ kind: 'rejected', message })),
    text().map((reason) => ({ kind: 'unopened', reason })),
    fc
      .constantFrom('completed', 'failed', 'archived', 'vanished')
      .map((status) => ({ kind: 'ended', status })),
  );
  const fact = () => fc.option(text());
  const agentJob = fc.record({
    id: text(),
    status: text(),
    repository: fact(),
    ref: fact(),
    model: fact(),
    prLink: fc.option(address()),
  });
  const kind = fc.constantFrom('rate_limited', 'unreachable', 'needs_admin');
  const trouble = fc
    .record({ kind, source: fc.constantFrom('check', 'send'), retryAtMs: time() })
    .map(aTrouble);
  const facts = fc.record({
    requesterId: slackId(),
    projectName: text(),
    prompt: text(),
    stage,
    agentJob: fc.option(agentJob),
    turn: fc.nat(),
    sentFollowUps: fc.nat(),
    checkedAtMs: fc.option(time()),
    trouble: fc.option(trouble),
  });
  return facts.map(aJob);
}

function announcement(): fc.Arbitrary<Announcement> {
  const call = { callId: fc.uuid(), count: fc.nat() };
  return fc.oneof<fc.Arbitrary<Announcement>[]>(
    fc.record({ kind: fc.constant('started'), turn: fc.nat() }),
    fc.record({ kind: fc.constant('finished'), files: fc.constantFrom('new', 'same', 'none') }),
    fc.record({ kind: fc.constantFrom('failed', 'archived', 'vanished', 'recovered') }),
    fc.record({ kind: fc.constant('other_status'), status: text() }),
    fc.record({ kind: fc.constant('pull_request'), url: address(), changed: fc.boolean() }),
    fc.record({
      kind: fc.constant('trouble'),
      trouble: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'),
      retryAtMs: time(),
    }),
    fc.record({ kind: fc.constant('create_rejected'), message: text() }),
    fc.record({ kind: fc.constant('create_unknown'), callId: fc.uuid() }),
    fc.record({ kind: fc.constant('message_rejected'), ...call, message: text() }),
    fc.record({ kind: fc.constant('message_unknown'), ...call }),
    fc.record({ kind: fc.constant('notice_failed'), channelId: slackId(), reason: text() }),
  );
}
