import type { ModalView } from '@slack/types';
import type { SlackMessage } from './message.ts';

const NEWS_PREFIX = 'news:';

type Blocks = ModalView['blocks'];

/** A modal that only says something. `title`: at most 24 characters. */
export function plainModal(title: string, { blocks }: Pick<ModalView, 'blocks'>): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  };
}

/** News above the rest of a modal, in place of those before. */
export function newsAbove(rest: Blocks, news: SlackMessage | null): Blocks {
  const fresh = (news?.blocks ?? []).map((block, index) => ({
    ...block,
    block_id: `${NEWS_PREFIX}${index}`,
  }));
  return [...fresh, ...rest.filter(({ block_id: id }) => !id?.startsWith(NEWS_PREFIX))];
}
