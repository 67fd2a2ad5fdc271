import type { AllMiddlewareArgs, MessageShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { readableText } from '../text/readable-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { noFormView, promptAbout } from '../views/compose.ts';
import type { ListenerDeps } from './deps.ts';
import { permalinkSoon } from './link-to.ts';
import { openCompose } from './open-form.ts';

type Args = SlackShortcutMiddlewareArgs<MessageShortcut> & AllMiddlewareArgs;

/** "Ask Docs Agent" in the menu of a message: the form, with the message and its address. */
export function messageShortcut(deps: ListenerDeps) {
  return async ({ shortcut, ack, respond }: Args): Promise<void> => {
    await ack();
    const { channel, message, response_url: responseUrl, trigger_id: triggerId } = shortcut;
    const link = await permalinkSoon(deps, channel.id, message.ts);
    const text = readableText(sanitize(message.text ?? ''), new Map());
    const place = { channelId: channel.id, responseUrl };
    const gesture = { triggerId, teamId: shortcut.team?.id ?? '' };
    if (await openCompose(deps, gesture, place, promptAbout(text, link))) return;
    await respond({ response_type: 'ephemeral', replace_original: false, ...noFormView() });
  };
}
