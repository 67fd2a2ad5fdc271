import { isBlank } from '../../jobs/requests/command.ts';
import { sanitize } from '../protocol/slack-text.ts';
import { blockTexts, joinParagraphs } from './block-text.ts';
import { fieldsOf, listOf } from './parts.ts';
import { newTexts, unlessPlaceholder, withoutMention } from './same-text.ts';
import { slackAttachmentsOf, slackAttachmentText } from './slack-attachment.ts';

/** The parts of a message that hold text, all from outside. */
export interface Saying {
  readonly text?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
}

/**
 * All words of a message, wherever Slack put them, as Slack would deliver them in `text`. A person's words
 * are all in `text`, and again in the blocks, except for tables and the like; an app may say something else
 * in each.
 */
export function saidBy({ text, bot_id: botId, blocks, attachments }: Saying): string {
  const own = unlessPlaceholder(sanitize(text ?? ''));
  const isTyped = botId == null && !isBlank(own);
  const built = listOf(blocks).filter((block) => !isTyped || fieldsOf(block).type !== 'rich_text');
  // An app may mention the bot in only one of the two.
  const inBlocks = newTexts(`${own}\n${withoutMention(own)}`, blockTexts(built));
  const hasWords = inBlocks.some(({ isStandIn }) => isStandIn !== true);
  const said = joined([own, hasWords ? sanitize(joinParagraphs(inBlocks)) : '']);
  const parts = slackAttachmentsOf(attachments, said).map((one) => sanitize(slackAttachmentText(one, said)));
  return joined([said, ...parts]);
}

function joined(texts: readonly string[]): string {
  const [first = ''] = texts;
  const more = texts.filter((text) => !isBlank(text));
  return more.length === 0 ? first : more.join('\n\n');
}
