import type { ModalView } from '@slack/types';
import type { SlackMessage } from './message.ts';

const NEWS_PREFIX = 'news:';

/** A modal that only says something. `title`: at most 24 characters. */
export function plainModal(title: string, { blocks }: Pick<ModalView, 'blocks'>): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  };
}

/** The same with news on top, in place of those before. @param rest what it shows below them */
export function newsModal(title: string, news: SlackMessage | null, rest: ModalView['blocks']): ModalView {
  const fresh = (news?.blocks ?? []).map((block, index) => ({
    ...block,
    block_id: `${NEWS_PREFIX}${index}`,
  }));
  const others = rest.filter(({ block_id: id }) => !id?.startsWith(NEWS_PREFIX));
  return plainModal(title, { blocks: [...fresh, ...others] });
}
