import type {
  AllMiddlewareArgs,
  BlockButtonAction,
  MessageShortcut,
  RespondFn,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewOutput,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import type { AnyJobContext } from '../../jobs/decision.ts';
import type { Recipe } from '../../jobs/recipe.ts';
import type { MadeReport } from '../../jobs/report/report.ts';
import type { Store } from '../../store/store.ts';
import { formIds } from '../protocol/ids.ts';
import { questionFormAgain } from '../views/forms/question.ts';
import type { Press as ButtonPress } from '../views/parts/buttons.ts';
import { atField, plainModal } from '../views/parts/form.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import type { Known, ReadyWorkspace, Workspace } from '../workspace/workspace.ts';
import type { Connection } from './connection/connection.ts';
import type { twinEvents } from './messages/twin-events.ts';

export interface SharedDeps extends Pick<Connection, 'isSharedSince'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newContext: () => AnyJobContext;
  readonly known: Known;
  readonly twinEvents: ReturnType<typeof twinEvents>;
  /** Whether the agent has this job in the project; null: it did not say. */
  readonly agentHasJob: (projectId: string, agentJobId: string) => Promise<boolean | null>;
  readonly reportOf: (teamId: string, projectIds: readonly string[]) => Promise<MadeReport>;
  readonly recipesOf: (teamId: string) => readonly Recipe[];
  /** Replies may have been missed, for example since an event could not be processed. */
  readonly lookForMissed: () => void;
  /** An event says that an installation or its token has ended. */
  readonly onEnded: (body: unknown) => Promise<void>;
}

/**
 * The same, in the workspace where the app is installed. Users from other workspaces carry their own team id.
 */
export interface ListenerDeps extends SharedDeps, ReadyWorkspace {}

export interface AnyWorkspaceDeps extends SharedDeps, Workspace {}

/** What a person made who waits for an answer: a command, press, shortcut or form. */
export interface Interaction {
  readonly userId: string;
  /** Where it was made; null: on the home tab, or in a form. */
  readonly channelId: string | null;
  readonly triggerId: string;
  /** Takes private answers. */
  readonly responseUrl: string | null;
  /** All names under which Slack may redeliver it. */
  readonly keys: readonly string[];
  ack(): Promise<void>;
  /** Acknowledges it, and answers its author privately: at a form's field, or beside the message. */
  tell(message: SlackMessage): Promise<void>;
  /** Tells a person who may not make it. */
  refuse(problem: SlackMessage): Promise<void>;
}

export interface Command extends Interaction {
  readonly channelId: string;
  readonly text: string;
  tellLater(message: SlackMessage): Promise<unknown>;
}

export interface Press extends Interaction, ButtonPress {
  readonly buttonId: string;
  /** Outside input. */
  readonly value: string;
  readonly view: BlockButtonAction['view'];
  /** Tells its author privately, beside the message or in its thread, without an acknowledgement. */
  tellBeside(message: SlackMessage): Promise<void>;
  /** Acknowledges it, and puts the message in place of the one with the button. */
  replace(message: SlackMessage): Promise<void>;
}

export interface Shortcut extends Interaction {
  readonly channelId: string;
  readonly message: MessageShortcut['message'];
}

export interface Submission extends Interaction {
  readonly view: ViewOutput;
  /** An error at a field keeps what is filled in. */
  tell(problem: SlackMessage, field?: string): Promise<void>;
  /** Acknowledges it with another form in its place. */
  update(view: ModalView): Promise<void>;
}

type Deps = Pick<AnyWorkspaceDeps, 'teamId' | 'log' | 'poster'>;

/** Identifies a command, or a press, in whatever delivery. */
export function triggerKeys(kind: 'trigger' | 'press', { teamId }: Deps, triggerId: string | undefined) {
  return triggerId ? [`${kind}:${teamId}:${triggerId}`] : [];
}

export function commandOf(
  deps: Deps,
  { command, ack, respond }: SlackCommandMiddlewareArgs & AllMiddlewareArgs,
): Command {
  const { trigger_id: triggerId } = command;
  const tell = (message: SlackMessage) => ack({ response_type: 'ephemeral', ...message });
  return {
    userId: command.user_id,
    channelId: command.channel_id,
    triggerId,
    responseUrl: command.response_url || null,
    keys: triggerKeys('trigger', deps, triggerId),
    text: command.text ?? '',
    ack: () => ack(),
    tell,
    tellLater: (message) => respond({ response_type: 'ephemeral', ...message }),
    refuse: tell,
  };
}

type PressArgs = Pick<SlackActionMiddlewareArgs<BlockButtonAction>, 'action' | 'body' | 'ack' | 'respond'>;

export function pressOf(deps: Deps, { action, body, ack, respond }: PressArgs): Press {
  const { trigger_id: triggerId, response_url: responseUrl, view } = body;
  const waiting = waitingAtMessage(deps, body, { ack: () => ack(), respond });
  return {
    ...waiting,
    buttonId: action.action_id,
    value: action.value ?? '',
    view,
    userId: body.user.id,
    channelId: body.channel?.id ?? null,
    triggerId,
    responseUrl: responseUrl || null,
    keys: triggerKeys('press', deps, triggerId),
    pressedTs: slackTime(action.action_ts),
    ...(body.message !== undefined && { messageTs: body.message.ts }),
    refuse: async (problem) => {
      if (responseUrl) return waiting.tell(problem);
      await waiting.ack();
      const modal = plainModal('Not allowed', problem);
      const { poster } = deps;
      const shown =
        view?.type === 'modal' ? poster.updateModal(view.id, modal) : poster.openModal(triggerId, modal);
      await bestEffort(deps, shown);
    },
  };
}

const SLACK_TIME = /^\d{10}\.\d{6}$/;

/** The time of a press, if Slack sends it in its usual form. */
export function slackTime(ts: unknown): string | undefined {
  return typeof ts === 'string' && SLACK_TIME.test(ts) ? ts : undefined;
}

export function shortcutOf(
  deps: Deps,
  {
    shortcut,
    ack,
    respond,
  }: Pick<SlackShortcutMiddlewareArgs<MessageShortcut>, 'shortcut' | 'ack' | 'respond'>,
): Shortcut {
  const waiting = waitingAtMessage(deps, shortcut, { ack: () => ack(), respond });
  return {
    ...waiting,
    userId: shortcut.user.id,
    channelId: shortcut.channel.id,
    triggerId: shortcut.trigger_id,
    responseUrl: shortcut.response_url || null,
    keys: [],
    message: shortcut.message,
    refuse: waiting.tell,
  };
}

interface MadeAtMessage {
  readonly container?: Readonly<Record<string, unknown>>;
  readonly message?: Readonly<Record<string, unknown>> | undefined;
}

/** Nothing depends on the answers: they are sent if Slack takes them. */
function waitingAtMessage(
  deps: Deps,
  { container, message }: MadeAtMessage,
  // Slack gives no response URL for a button in a form.
  { ack, respond = noRespond }: { readonly ack: () => Promise<void>; readonly respond: RespondFn },
) {
  let acknowledged: Promise<void> | null = null;
  // Slack takes one acknowledgement.
  const ackOnce = () => {
    acknowledged ??= ack();
    return acknowledged;
  };
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  const ownTs = container?.message_ts ?? message?.ts;
  // A root is seen in its channel.
  const place = typeof threadTs === 'string' && threadTs !== ownTs ? { thread_ts: threadTs } : {};
  const tellBeside = (answer: SlackMessage) =>
    bestEffort(deps, respond({ response_type: 'ephemeral', replace_original: false, ...place, ...answer }));
  return {
    ack: ackOnce,
    tellBeside,
    tell: async (answer: SlackMessage) => {
      await ackOnce();
      await tellBeside(answer);
    },
    replace: async (answer: SlackMessage) => {
      await ackOnce();
      await bestEffort(deps, respond({ replace_original: true, ...answer }));
    },
  };
}

/** The press is left unacknowledged, so that Slack shows a warning at the button, too. */
export function notStored({ buttonId }: Press): Error {
  return new Error(`the press of ${buttonId} was not stored`);
}

function noRespond() {
  return Promise.reject(new Error('there is no response_url'));
}

export function submissionOf(
  deps: Deps,
  { ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction>,
): Submission {
  const tell = (problem: SlackMessage, field: string = formIds.prompt) =>
    ack({ response_action: 'errors', errors: { [field]: atField(problem) } });
  const update = (next: ModalView) => ack({ response_action: 'update', view: next });
  return {
    userId: body.user.id,
    channelId: null,
    triggerId: body.trigger_id,
    responseUrl: null,
    keys: [`view:${deps.teamId}:${view.id}`],
    view,
    ack: () => ack(),
    tell,
    update,
    refuse: (problem) => {
      const field = view.blocks.find(({ type }) => type === 'input')?.block_id;
      // Only the confirmation form has none.
      return field === undefined ? update(questionFormAgain(view, problem)) : tell(problem, field);
    },
  };
}

/** Sends a private answer after the acknowledgement, if Slack takes it: nothing depends on it. */
export async function bestEffort(
  { log }: Pick<ListenerDeps, 'log'>,
  answer: Promise<unknown>,
): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}
