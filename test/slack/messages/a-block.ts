import { blockTexts, joinParagraphs } from '../../../src/slack/messages/blocks.ts';
import { readableText } from '../../../src/slack/protocol/slack-text.ts';

const names = new Map([
  ['U1', 'Ann'],
  ['C1', 'limits'],
  ['S1', 'writers'],
]);

/** The blocks as the agent reads them. */
export const shown = (...blocks: unknown[]) => readableText(joinParagraphs(blockTexts(blocks)), names);

export const text = (words: string, style?: object) => ({
  type: 'text',
  text: words,
  ...(style && { style }),
});
export const section = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });
export const rich = (...elements: unknown[]) => ({ type: 'rich_text', elements });
/** A list of rich text. */
export const list = (style: 'bullet' | 'ordered', ...elements: unknown[]) => ({
  type: 'rich_text_list',
  style,
  elements,
});
export const plainText = (words: string) => ({ type: 'plain_text', text: words });
export const mrkdwn = (words: string) => ({ type: 'mrkdwn', text: words });
export const raw = (words: string) => ({ type: 'raw_text', text: words });
