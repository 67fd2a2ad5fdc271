import type { ModalView } from '@slack/types';
import type { SlackMessage } from './message.ts';

/** A modal that only says something. `title`: at most 24 characters. */
export function plainModal(title: string, { blocks }: SlackMessage): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  };
}
