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
import { type MessageEvent, writtenOf } from '../../messages/message-event.ts';
import { questionFormAgain } from '../../views/forms/question.ts';
import { type Button, buttons, idsOf, linkButtons } from '../../views/parts/buttons.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notInstalledView, notSetUpView } from '../../views/refusals.ts';
import { isReady } from '../../workspace/workspace.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { AnyWorkspaceDeps, ListenerDeps } from '../deps.ts';
import { refuseAtField } from '../forms/submit.ts';
import { admissionProblem } from './admission.ts';
import { answering } from './in-time.ts';
import { answerBeside, bestEffort } from './private-answers.ts';

type Args = AnyMiddlewareArgs & AllMiddlewareArgs;
type ButtonArgs = Omit<SlackActionMiddlewareArgs<BlockAction>, 'say'>;
type ShortcutArgs = Omit<SlackShortcutMiddlewareArgs<MessageShortcut>, 'say'>;

/**
 * Runs before the listeners of commands, buttons, shortcuts and forms: refuses people who may not use the
 * program. Messages pass: most do not concern it, and their listeners call `isAdmitted`.
 */
export function checkAccess(deps: ListenerDeps) {
  return async (args: Args): Promise<void> => {
    const request = interactionOf(deps, args);
    if (request === null) return args.next();
    await answering(deps, async () => {
      const problem = await admissionProblem(deps, request.userId, request.channelId);
      if (problem === null) return args.next();
      noteRequest({ outcome: 'refused' });
      await request.refuse(problem);
    });
  };
}

/** Runs first: in a workspace that is not set up, people are told so, and nothing is stored. */
export function checkWorkspace(deps: AnyWorkspaceDeps) {
  return async (args: Args): Promise<void> => {
    if (isReady(deps)) return args.next();
    const request = interactionOf(deps, args);
    // Slack opens a button's link in any case.
    if (request === null && 'action' in args) return args.ack();
    noteRequest({ outcome: 'refused' });
    const { teamId, isInstalled } = deps;
    const problem = isInstalled ? notSetUpView(teamId) : notInstalledView();
    if (request !== null) return request.refuse(problem);
    deps.log.info('workspace_not_ready', { team_id: teamId, is_installed: isInstalled });
    if (isInstalled) await bestEffort(deps, answerEvent(deps, args));
  };
}

/** Mentions, direct messages and the home tab get an answer; other events do not concern the program. */
async function answerEvent(deps: AnyWorkspaceDeps, args: Args): Promise<void> {
  if (!('event' in args)) return;
  const { event } = args;
  const problem = notSetUpView(deps.teamId);
  if (event.type === 'app_home_opened') return deps.poster.publishHome(event.user, problem);
  const isSpokenTo =
    event.type === 'app_mention' || (event.type === 'message' && event.channel_type === 'im');
  const written = isSpokenTo ? writtenOf(event as MessageEvent, deps.botUserId) : null;
  if (written === null || !(await deps.access.isPerson(written.userId, written.isPostedByApp))) return;
  await deps.poster.replyPrivately(written, problem);
}

const LINK_IDS: ReadonlySet<string> = new Set(Object.values(linkButtons).map(({ id }) => id));
/** Buttons that can appear outside their job's channel; their listeners check access to it. */
const REQUESTERS_IDS: ReadonlySet<string> = new Set(
  Object.values<Button>(buttons).flatMap((button) => (button.isRequesters ? idsOf(button) : [])),
);

/** A command, press, shortcut or form, whose author waits for an answer. */
interface Interaction {
  readonly userId: string;
  readonly channelId: string | null;
  /** Explains the refusal in the way that fits the request. */
  refuse(problem: SlackMessage): Promise<void>;
}

/** Null for a message, event or link: nobody waits for an answer. */
function interactionOf(deps: AnyWorkspaceDeps, args: Args): Interaction | null {
  if ('command' in args) return commandInteraction(args as SlackCommandMiddlewareArgs);
  const { type } = args.body;
  if ('action' in args && type === 'block_actions') return pressInteraction(deps, args as ButtonArgs);
  if ('shortcut' in args && type === 'message_action') return shortcutInteraction(deps, args as ShortcutArgs);
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
  { action, body, ack, respond }: ButtonArgs,
): Interaction | null {
  // Slack opens its link in any case.
  if (LINK_IDS.has(action.action_id)) return null;
  return {
    userId: body.user.id,
    channelId: REQUESTERS_IDS.has(action.action_id) ? null : (body.channel?.id ?? null),
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
    // An error at a field keeps what is filled in. Only the confirmation form has no field.
    refuse: (problem) => {
      const field = view.blocks.find(({ type }) => type === 'input')?.block_id;
      return field === undefined
        ? ack({ response_action: 'update', view: questionFormAgain(view, problem) })
        : refuseAtField(ack, problem, field);
    },
  };
}
