import type { KnownBlock, ModalView } from '@slack/types';
import { buttons } from './parts/buttons.ts';
import { plainModal } from './parts/form.ts';
import { buttonRow, message, paragraph, pressButton, type SlackMessage } from './parts/message.ts';
import { oneLine } from './parts/untrusted.ts';
import { help } from './texts/help.ts';

const TYPED_MAX = 100;

/** Every way to use the bot. */
const ways: readonly KnownBlock[] = [help.start, help.steer, help.see, help.administrators].map(paragraph);

/** How to use the bot, at a glance. */
export function helpView(): SlackMessage {
  return message(
    paragraph(help.what),
    paragraph(help.examples),
    paragraph(help.basics),
    buttonRow(pressButton(buttons.startJob, 'help', 'primary'), pressButton(buttons.showAllHelp, 'help')),
  );
}

export function allHelpModal(): ModalView {
  return plainModal(help.allTitle, { blocks: [...ways] });
}

/** Answers a message to the bot that is a command of those that need Slack's own form or address. */
export function typedOnlyView(typed: string): SlackMessage {
  return message(paragraph(help.typedOnly(oneLine(typed, TYPED_MAX))));
}

/** For who adds a mention to a message that was sent before. */
export function newMessagesOnlyView(): SlackMessage {
  return message(paragraph(help.newMessagesOnly));
}
