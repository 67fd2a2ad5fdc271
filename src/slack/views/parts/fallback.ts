import type { Button, KnownBlock, MrkdwnElement, PlainTextElement, RichTextBlock } from '@slack/types';
import { escapeMrkdwn } from '../../protocol/slack-text.ts';
import { labels } from './words.ts';

/** Longer addresses are left to the button: cut short, they would lead elsewhere. */
const SPOKEN_URL_MAX = 300;

/**
 * All that the blocks say, as mrkdwn: screen readers and notifications know only this. Buttons are named in brackets;
 * those that open a link give its address, unless the words before them do.
 */
export function fallbackText(blocks: readonly KnownBlock[]): string {
  const lines: string[] = [];
  for (const block of blocks) lines.push(...linesOf(block, lines.join('\n')));
  return lines.join('\n');
}

/** @param before what was said before the block */
function linesOf(block: KnownBlock, before: string): string[] {
  switch (block.type) {
    case 'header':
      return [`*${said(block.text)}*`];
    case 'section': {
      const text = block.text === undefined ? [] : [said(block.text)];
      return block.accessory?.type === 'button'
        ? [...text, ...spoken([block.accessory], [before, ...text].join('\n'))]
        : text;
    }
    case 'context':
      return [
        block.elements.flatMap((element) => (element.type === 'image' ? [] : [said(element)])).join(' '),
      ];
    case 'rich_text':
      return [`“${escapeMrkdwn(quoted(block))}”`];
    case 'actions':
      return spoken(
        block.elements.filter((element) => element.type === 'button'),
        before,
      );
    default:
      return [];
  }
}

function quoted({ elements }: RichTextBlock): string {
  return elements
    .flatMap((element) => (element.type === 'rich_text_quote' ? element.elements : []))
    .map((element) => (element.type === 'text' ? element.text : ''))
    .join('');
}

/** Each address on a line of its own, then the buttons that are pressed. */
function spoken(buttons: readonly Button[], before: string): string[] {
  const links = buttons.flatMap((button) => linkOf(button, before));
  const pressed = buttons.flatMap(({ url, text }) => (url === undefined ? [`[${said(text)}]`] : []));
  return pressed.length === 0 ? links : [...links, pressed.join(' ')];
}

function linkOf({ text, url }: Button, before: string): string[] {
  if (url === undefined) return [];
  const address = escapeMrkdwn(url);
  if (before.includes(`<${address}>`) || before.includes(`<${address}|`)) return [];
  const where = address.length <= SPOKEN_URL_MAX ? address : labels.longAddress;
  return [`${said(text)}: ${where}`];
}

function said(text: PlainTextElement | MrkdwnElement): string {
  return text.type === 'mrkdwn' ? text.text : escapeMrkdwn(text.text);
}
