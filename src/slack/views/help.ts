import type { KnownBlock, ModalView } from '@slack/types';
import { buttons } from './parts/buttons.ts';
import { plainModal } from './parts/form.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  smallPrint,
} from './parts/message.ts';
import { mrkdwn } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';
import { help } from './texts/help.ts';

const TYPED_MAX = 100;

/** How to use the bot, at a glance. @param recipe the name of one that the reader may run; null: there is none */
export function helpView(recipe: string | null): SlackMessage {
  return message(
    paragraph(help.what),
    paragraph(help.examples),
    paragraph(recipe === null ? help.basics : mrkdwn`${help.basics}\n${help.recipes(recipe)}`),
    buttonRow(pressButton(buttons.startJob, 'help', 'primary'), pressButton(buttons.showAllHelp, 'help')),
  );
}

/** Every way to use the bot, and what its receipts mean. @param recipe as for `helpView` */
export function allHelpModal(recipe: string | null): ModalView {
  const start = help.start(recipe === null ? mrkdwn`` : help.runRecipe(recipe));
  const blocks: KnownBlock[] = [start, help.steer, help.see, help.administrators].map(paragraph);
  return plainModal(help.allTitle, { blocks: [...blocks, smallPrint(help.receipts)] });
}

/** Answers a message to the bot that is a command of those that need Slack's own form or address. */
export function typedOnlyView(typed: string): SlackMessage {
  return message(paragraph(help.typedOnly(oneLine(typed, TYPED_MAX))));
}

/** For who adds a mention to a message that was sent before. */
export function newMessagesOnlyView(): SlackMessage {
  return message(paragraph(help.newMessagesOnly));
}
