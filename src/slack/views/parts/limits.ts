import { escapeMrkdwn } from '../../protocol/slack-text.ts';

/** Characters in a section's text. https://docs.slack.dev/reference/block-kit/blocks/section-block */
export const SECTION_TEXT_MAX = 3000;
/** https://docs.slack.dev/reference/block-kit/blocks/header-block */
export const HEADER_TEXT_MAX = 150;
/** https://docs.slack.dev/reference/block-kit/block-elements/button-element, as the next four */
export const BUTTON_TEXT_MAX = 75;
export const BUTTON_LABEL_MAX = 75;
export const BUTTON_VALUE_MAX = 2000;
export const BUTTON_URL_MAX = 3000;
/** Elements. https://docs.slack.dev/reference/block-kit/blocks/actions-block */
export const ACTIONS_ELEMENTS_MAX = 25;
/** Elements. https://docs.slack.dev/reference/block-kit/blocks/context-block */
export const CONTEXT_ELEMENTS_MAX = 10;
/** Blocks in a message. https://docs.slack.dev/reference/block-kit/blocks */
export const MESSAGE_BLOCKS_MAX = 50;
/** Characters in a message's `text`: chat.update refuses more (`msg_too_long`). */
export const MESSAGE_TEXT_MAX = 4000;
/**
 * Characters in all blocks of a message. Not documented: about 13,200 fail with `msg_blocks_too_long`
 * (https://github.com/slackapi/bolt-js/issues/2509).
 */
export const MESSAGE_BLOCKS_TEXT_MAX = 12_000;

/** Longer clusters are attacks with combining marks. */
const GRAPHEME_MAX = 64;
const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text, cut between two visible characters, with `…`, if longer than `max` UTF-16 units (at least 1). */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : cutAt(text, max - ELLIPSIS.length);
}

/** As `cut`, but measures escaped mrkdwn, so that the text fits in either form. The result is not escaped. */
export function cutEscaped(text: string, max: number): string {
  if (text.length * escapeMrkdwn('&').length <= max) return text;
  let length = 0;
  let keep = 0;
  for (let index = 0; index < text.length; index++) {
    length += escapeMrkdwn(text.charAt(index)).length;
    if (length <= max - ELLIPSIS.length) keep = index + 1;
    if (length > max) return cutAt(text, keep);
  }
  return text;
}

function cutAt(text: string, length: number): string {
  const cluster = graphemes.segment(text.slice(0, length + 2)).containing(length);
  const start = cluster?.index ?? length;
  const end = length - start > GRAPHEME_MAX ? codePointStart(text, length) : start;
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

function codePointStart(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}
