import { isBlank } from '../../jobs/prompt.ts';
import { sanitize } from '../protocol/sanitize.ts';
import { attachmentsOf, attachmentText } from './attachments.ts';
import { blockTexts } from './block-text.ts';
import { newTexts } from './new-texts.ts';

/** A message as far as it says something. Everything in it comes from outside. */
export interface Saying {
  readonly text?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
}

/**
 * All that a message says in words, wherever Slack has put it, as Slack would deliver it in `text`. What a person typed
 * is all in `text`, and again in the blocks; an app may say something else in each.
 */
export function saidBy({ text, bot_id: botId, blocks, attachments }: Saying): string {
  const own = sanitize(text ?? '');
  const inBlocks = botId != null || isBlank(own) ? newTexts(own, blockTexts(blocks)).join('\n') : '';
  const said = joined([own, sanitize(inBlocks)]);
  const attached = attachmentsOf(attachments, said).map((one) => sanitize(attachmentText(one, said)));
  return joined([said, ...attached]);
}

function joined(texts: readonly string[]): string {
  const [first = ''] = texts;
  const more = texts.filter((text) => !isBlank(text));
  return more.length === 0 ? first : more.join('\n\n');
}
