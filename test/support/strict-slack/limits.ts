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
