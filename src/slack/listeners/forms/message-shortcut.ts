import type { AllMiddlewareArgs, MessageShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { readableText } from '../../text/readable-text.ts';
import { sanitize } from '../../text/sanitize.ts';
import { noFormView, promptAbout } from '../../views/compose.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';
import { permalinkSoon } from '../link-to.ts';
import { openCompose } from './open-form.ts';

type Args = SlackShortcutMiddlewareArgs<MessageShortcut> & AllMiddlewareArgs;

/** Slack waits 3 seconds for a form: else the ids stay. */
const NAMES_WITHIN_MS = 500;

/** "Ask Docs Agent" in the menu of a message: the form, with the message and its address. */
export function messageShortcut(deps: ListenerDeps) {
  return async ({ shortcut, ack, respond }: Args): Promise<void> => {
    await ack();
    const { channel, message, response_url: responseUrl, trigger_id: triggerId } = shortcut;
    const said = sanitize(message.text ?? '');
    const [link, names] = await Promise.all([
      permalinkSoon(deps, channel.id, message.ts),
      inTime(deps, NAMES_WITHIN_MS, deps.names.of(said), new Map<string, string>()),
    ]);
    const place = { channelId: channel.id, responseUrl };
    const gesture = { triggerId, teamId: shortcut.team?.id ?? '' };
    if (await openCompose(deps, gesture, place, promptAbout(readableText(said, names), link))) return;
    await respond({ response_type: 'ephemeral', replace_original: false, ...noFormView() });
  };
}
