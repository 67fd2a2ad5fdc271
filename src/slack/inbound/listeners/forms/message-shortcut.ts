import type { AllMiddlewareArgs, MessageShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { attachedOf, carried } from '../../../messages/attached.ts';
import { readableText } from '../../../protocol/readable-text.ts';
import { noFormView, promptAbout } from '../../../views/forms/compose.ts';
import { answerBeside } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';
import { permalinkSoon } from '../link-to.ts';
import { openCompose } from './open-form.ts';
import { saidIn } from './thread-lines.ts';

type Args = SlackShortcutMiddlewareArgs<MessageShortcut> & AllMiddlewareArgs;

/** Slack waits 3 seconds for a form: else the ids stay. */
const NAMES_WITHIN_MS = 500;
/** Of the 3000 characters that a form can carry. */
const ATTACHED_MAX = 2_000;

/** "Ask Docs Agent" in the menu of a message: the form, with the message and its address. */
export function messageShortcut(deps: ListenerDeps) {
  return async ({ shortcut, ack, respond }: Args): Promise<void> => {
    await ack();
    const { channel, message, response_url, trigger_id: triggerId } = shortcut;
    const said = saidIn(message);
    const [link, names] = await Promise.all([
      permalinkSoon(deps, channel.id, message.ts),
      inTime(deps, NAMES_WITHIN_MS, deps.names.of(said), new Map<string, string>()),
    ]);
    const attached = carried(attachedOf(message), ATTACHED_MAX);
    const place = { channelId: channel.id, responseUrl: response_url || null, attached };
    const { promptMaxLength } = deps.newContext().policy;
    const quoted = promptAbout(readableText(said, names), link, promptMaxLength);
    if (await openCompose(deps, triggerId, place, quoted)) return;
    await answerBeside(deps, { body: shortcut, respond }, noFormView());
  };
}
