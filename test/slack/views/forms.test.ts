import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Projects } from '../../../src/jobs/requests/command.ts';
import {
  composeView,
  noFormView,
  promptAbout,
  sendAlongView,
  threadPreviewView,
  threadTooLongView,
} from '../../../src/slack/views/compose.ts';
import { atField } from '../../../src/slack/views/form.ts';
import { refusalView } from '../../../src/slack/views/private-answers.ts';
import { fc } from '../../support/properties.ts';
import { checkedView } from '../../support/strict-slack/view-shape.ts';
import { anyCharacter } from '../any-character.ts';

const projects: Projects = [
  { id: 'p-1', name: 'docs', noticeChannels: [] },
  { id: 'p-2', name: 'handbook', noticeChannels: [] },
];
const [docs] = projects;
const thread = {
  channelId: 'C1',
  threadTs: '5.000000',
  messageTs: '7.000000',
  oldestTs: '5.000000',
  permalink: 'https://acme.slack.com/archives/C1/p5',
  responseUrl: null,
};
const plain = { type: 'plain_text', emoji: true };
const choices = { projects, project: docs, promptMaxLength: 20_000, recipes: [] };
const atHome = { channelId: null, responseUrl: null, from: 'home' } as const;

describe('the form that asks for a job', () => {
  test.each([
    [2_460, 20_000, 2_460],
    [2_500, 20_000, 2_471],
    [2_000, 1_000, 471],
  ])(
    'quotes as much of a long message as leaves room to write: of %i, with %i (S3)',
    (length, max, quoted) => {
      const { prompt, isCut } = promptAbout('x'.repeat(length), null, max);
      expect(prompt.match(/x/g)).toHaveLength(quoted);
      expect(isCut).toBe(quoted < length);
    },
  );

  test('quotes the message that it is about (S3)', () => {
    const quoted = (text: string, permalink: string | null) => promptAbout(text, permalink, 20_000).prompt;
    expect(quoted('Limits are\n*wrong*', 'https://acme.slack.com/archives/C1/p5')).toMatchInlineSnapshot(`
      "About this Slack message (https://acme.slack.com/archives/C1/p5):
      > Limits are
      > *wrong*

      "
    `);
    expect(quoted('', null)).toMatchInlineSnapshot(`
      "About this Slack message:
      > (empty)

      "
    `);
  });
});

describe('the form with the messages of a thread', () => {
  test('has all of them ticked, and says what is left out (S3)', () => {
    const lines = ['Limits', 'They\nare  not'].map((text) => ({ id: `${text}|`, author: 'Bob', text }));
    const { blocks } = threadPreviewView({ thread, prompt: 'Document this', lines, leftOut: 12, ...choices });
    const ticked = ['Limits', 'They are not'].map((text) =>
      expect.objectContaining({ text: { ...plain, text } }),
    );
    const element = expect.objectContaining({ type: 'checkboxes', initial_options: ticked });
    expect(blocks).toContainEqual(expect.objectContaining({ element }));
    expect(JSON.stringify(blocks)).toContain('12 older messages are left out.');
  });

  test('is offered, and explained if it cannot be made (S3)', () => {
    const offers = [null, [], ['Alice'], ['Alice', 'Bob', 'Alice'], ['A', 'B', '<!here>', 'D', 'E']];
    expect(offers.map((authors) => sendAlongView(thread, authors).text)).toMatchInlineSnapshot(`
      [
        "🧵 *Send this thread along?*
      [Choose messages…] [Only my words]",
        "There's no other text in this thread.
      [Choose messages…] [Only my words]",
        "🧵 *Send this thread along?* 1 message, by Alice
      [Start with the thread] [Choose messages…] [Only my words]",
        "🧵 *Send this thread along?* 3 messages, by Alice and Bob
      [Start with the thread] [Choose messages…] [Only my words]",
        "🧵 *Send this thread along?* 5 messages, by A, B, &lt;!here&gt; and 2 others
      [Start with the thread] [Choose messages…] [Only my words]",
      ]
    `);
    expect(threadTooLongView.text).toMatchInlineSnapshot(
      `"⚠️ *This thread has too many messages for me to read.* Ask outside the thread: \`/docs-agent explain the rate limits\`."`,
    );
    expect(noFormView.text).toMatchInlineSnapshot(
      `"⚠️ *Slack didn't open the form.* Please try again, or type your request: \`/docs-agent explain the rate limits\`."`,
    );
  });
});

describe('whatever people write', () => {
  const text = () =>
    fc.string({
      unit: fc.oneof(anyCharacter, fc.constantFrom('<!channel>', '&lt;', '\n', '\u202e')),
      maxLength: 4_000,
    });

  test('Slack takes the form of a thread, and nothing in it is live', () => {
    const lines = fc.array(fc.record({ id: fc.uuid(), author: text(), text: text() }), { maxLength: 50 });
    fc.assert(
      fc.property(text(), lines, text(), (prompt, l, name) => {
        const named = [{ ...docs, name }, docs] as const;
        const view = threadPreviewView({
          thread,
          prompt,
          lines: l,
          leftOut: 1,
          ...choices,
          projects: named,
        });
        checkedView(view, 'modal');
        expectPlain(view);
      }),
      { numRuns: 50 },
    );
  });

  test('Slack takes the form that asks for a job', () => {
    fc.assert(
      fc.property(text(), fc.webUrl(), (said, url) => {
        const view = composeView({ target: atHome, ...promptAbout(said, url, 20_000), ...choices });
        checkedView(view, 'modal');
        expectPlain(view);
      }),
    );
  });

  test('what is wrong is said at the field without markup', () => {
    fc.assert(
      fc.property(text(), (name) => {
        const error = atField(
          refusalView({ kind: 'unknown_project', name, projects: [{ id: 'p-1', name: 'docs' }] }),
        );
        expect(error).not.toMatch(/[*`]/);
        expect(error.length).toBeLessThanOrEqual(500);
      }),
    );
  });
});

/** All markup is of our own words. */
function expectPlain(view: ModalView): void {
  const markup = JSON.stringify(view.blocks.filter(({ type }) => type === 'context' || type === 'section'));
  expect(markup).not.toMatch(/[<>&]/);
  expect(JSON.stringify(view).isWellFormed()).toBe(true);
  expect((view.private_metadata ?? '').length).toBeLessThanOrEqual(3000);
}
