import type {
  AllMiddlewareArgs,
  AnyMiddlewareArgs,
  BlockAction,
  MessageShortcut,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { elsewhereActionIds, linkActionIds } from '../../protocol/ids.ts';
import { askedStillForm } from '../../views/forms/asked-before.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { AnyWorkspaceDeps } from '../deps.ts';
import { refuseAtField } from '../forms/submit.ts';
import { answerBeside, bestEffort } from './replies.ts';

export type Args = AnyMiddlewareArgs & AllMiddlewareArgs;
type PressArgs = Omit<SlackActionMiddlewareArgs<BlockAction>, 'say'>;
type ShortcutArgs = Omit<SlackShortcutMiddlewareArgs<MessageShortcut>, 'say'>;

/** A command, a press, a shortcut or a form: whoever made it waits for an answer. */
export interface Interaction {
  readonly userId: string;
  readonly channelId: string | null;
  /** Says, in the way that fits the request, why nothing comes of it. */
  refuse(problem: SlackMessage): Promise<void>;
}

/** Null for what nobody waits for. */
export function interactionOf(deps: AnyWorkspaceDeps, args: Args): Interaction | null {
  if ('command' in args) return commandInteraction(args as SlackCommandMiddlewareArgs);
  const { type } = args.body;
  if ('action' in args && type === 'block_actions') {
    return pressInteraction(deps, args as PressArgs);
  }
  if ('shortcut' in args && type === 'message_action') {
    return shortcutInteraction(deps, args as ShortcutArgs);
  }
  if ('view' in args && type === 'view_submission') {
    return submitInteraction(args as SlackViewMiddlewareArgs<ViewSubmitAction>);
  }
  return null;
}

function commandInteraction({ command, ack }: SlackCommandMiddlewareArgs): Interaction {
  return {
    userId: command.user_id,
    channelId: command.channel_id,
    refuse: (problem) => ack({ response_type: 'ephemeral', ...problem }),
  };
}

function pressInteraction(
  deps: AnyWorkspaceDeps,
  { action, body, ack, respond }: PressArgs,
): Interaction | null {
  // The link opens in any case.
  if (linkActionIds.has(action.action_id)) return null;
  return {
    userId: body.user.id,
    channelId: elsewhereActionIds.has(action.action_id) ? null : (body.channel?.id ?? null),
    refuse: async (problem) => {
      await ack();
      if (body.response_url) return answerBeside(deps, { body, respond }, problem);
      const modal = plainModal('Not allowed', problem);
      const { poster } = deps;
      const shown =
        body.view?.type === 'modal'
          ? poster.updateModal(body.view.id, modal)
          : poster.openModal(body.trigger_id, modal);
      await bestEffort(deps, shown);
    },
  };
}

function shortcutInteraction(deps: AnyWorkspaceDeps, { shortcut, ack, respond }: ShortcutArgs): Interaction {
  return {
    userId: shortcut.user.id,
    channelId: shortcut.channel.id,
    refuse: async (problem) => {
      await ack();
      await answerBeside(deps, { body: shortcut, respond }, problem);
    },
  };
}

function submitInteraction({ body, ack, view }: SlackViewMiddlewareArgs<ViewSubmitAction>): Interaction {
  return {
    userId: body.user.id,
    channelId: null,
    // At a field, where there is one: what is filled in stays. Only the form that asks again has none.
    refuse: (problem) => {
      const field = view.blocks.find(({ type }) => type === 'input')?.block_id;
      return field === undefined
        ? ack({ response_action: 'update', view: askedStillForm(view, problem) })
        : refuseAtField(ack, problem, field);
    },
  };
}
