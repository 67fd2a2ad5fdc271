import type { KnownBlock, ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Projects } from '../../../src/jobs/requests/command.ts';
import {
  composeView,
  noFormView,
  promptAbout,
  sendAlongView,
  type ThreadLine,
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
const line = (facts: Partial<ThreadLine> = {}): ThreadLine => ({
  id: '5.000000|',
  author: 'Bob',
  text: 'The limits are unclear',
  ...facts,
});
const choices = { projects, project: docs, promptMaxLength: 20_000, recipes: [] };
const blank = { prompt: '', isCut: false };
const atHome = { channelId: null, responseUrl: null, from: 'home' } as const;

/** The form as a person reads it, one field or note on each line. */
function readForm(view: ModalView): string {
  expect(() => checkedView(view, 'modal')).not.toThrow();
  const title = `[${view.title.text}] → ${view.submit?.text}`;
  return [title, ...view.blocks.map((block) => readBlock(block as KnownBlock))].join('\n');
}

function readBlock(block: KnownBlock): string {
  if (block.type === 'context' || block.type === 'section')
    return JSON.stringify(
      block.type === 'section'
        ? block.text?.text
        : block.elements.map((element) => ('text' in element ? element.text : '')),
    );
  if (block.type !== 'input') return block.type;
  const { element } = block;
  const hint = block.hint === undefined ? '' : ` (${block.hint.text})`;
  const options = 'options' in element && element.options !== undefined ? element.options : [];
  const stands = 'initial_value' in element ? ` = ${JSON.stringify(element.initial_value)}` : '';
  return [
    `${block.label.text}: ${element.type}${stands}${hint}`,
    ...options.map(
      ({ text, description }) => `  ☑ ${text.text}${description ? ` · ${description.text}` : ''}`,
    ),
  ].join('\n');
}

describe('the form that asks for a job', () => {
  test('asks for the prompt, and where there is a choice for the project and the channel (S2)', () => {
    expect(readForm(composeView({ target: atHome, ...blank, ...choices }))).toMatchInlineSnapshot(`
      "[Ask Docs Agent] → Start
      What should change in the docs?: plain_text_input (3,000 characters max here. For more, send me a message.)
      Project: static_select
        ☑ docs
        ☑ handbook
      Channel: conversations_select (The card appears there. I must be a member.)"
    `);
  });

  test('asks for nothing that is known (S2)', () => {
    const known = { channelId: 'C1', responseUrl: 'https://hooks.slack.example/1', from: 'form' } as const;
    const one = { ...choices, projects: [docs] as const, promptMaxLength: 2000 };
    expect(readForm(composeView({ target: known, ...blank, ...one }))).toMatchInlineSnapshot(`
      "[Ask Docs Agent] → Start
      What should change in the docs?: plain_text_input"
    `);
  });

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

  test('quotes as much of a long message as leaves room to write, and says that it is cut (S3)', () => {
    const quotedIn = (length: number, promptMaxLength: number) => {
      const quoted = promptAbout('x'.repeat(length), null, promptMaxLength);
      const target = { channelId: 'C1', responseUrl: null, from: 'form' } as const;
      const form = readForm(
        composeView({ target, ...quoted, ...choices, projects: [docs], promptMaxLength }),
      );
      return { quoted: quoted.prompt.match(/x/g)?.length, said: form.split('\n').at(-1) };
    };
    expect(quotedIn(2_460, 20_000)).toEqual({
      quoted: 2_460,
      said: expect.not.stringContaining('the end is cut off'),
    });
    expect(quotedIn(2_500, 20_000)).toMatchInlineSnapshot(`
      {
        "quoted": 2471,
        "said": "["✂️ The message is too long for this field, so the end is cut off here. To send all of it, reply to it with \`@docs-agent …\` instead."]",
      }
    `);
    expect(quotedIn(2_000, 1_000)).toMatchObject({
      quoted: 471,
      said: expect.stringContaining('the end is cut off'),
    });
    expect(quotedIn(2_000, 10).said).toContain('the end is cut off');
  });
});

describe('the form with the messages of a thread', () => {
  test('has all of them ticked, and says what is left out (S3)', () => {
    const lines = [line(), line({ id: '6.000000|', author: 'Alice', text: 'They\nare  not' })];
    const view = threadPreviewView({ thread, prompt: 'Document this', lines, leftOut: 12, ...choices });
    expect(readForm(view)).toMatchInlineSnapshot(`
      "[Ask Docs Agent] → Start
      What should change in the docs?: plain_text_input = "Document this" (3,000 characters max here. For more, send me a message.)
      Project: static_select
        ☑ docs
        ☑ handbook
      Include these messages: checkboxes
        ☑ The limits are unclear · Bob
        ☑ They are not · Alice
      ["12 older messages are left out."]"
    `);
  });

  test('says that there is nothing to choose, and that a long prompt is cut (S3)', () => {
    const view = threadPreviewView({
      thread,
      prompt: 'x'.repeat(3001),
      lines: [],
      leftOut: 0,
      ...choices,
    });
    expect(readForm(view).replace(/x{20,}/, 'xx')).toMatchInlineSnapshot(`
      "[Ask Docs Agent] → Start
      What should change in the docs?: plain_text_input = "xx…" (3,000 characters max here. For more, send me a message.)
      Project: static_select
        ☑ docs
        ☑ handbook
      ["There's no other text in this thread."]
      ["✂️ Your message is too long for this field, so the end is cut off here."]"
    `);
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
