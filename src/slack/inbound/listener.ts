import type {
  BlockButtonAction,
  Context,
  EnvelopedEvent,
  MessageShortcut,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewOutput,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView, SlackEvent } from '@slack/types';
import type { AnyJobContext } from '#engine/apply-event.ts';
import type { Intent } from '#jobs/requests/intent.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import type { Store } from '#store/store.ts';
import { formIds, type viewIds } from '../protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '../protocol/slack-text.ts';
import type { FeatureViews } from '../views/announcement.ts';
import type { JobButton, otherButtons } from '../views/buttons.ts';
import { atField, plainModal } from '../views/form.ts';
import type { SlackMessage } from '../views/message.ts';
import { labels } from '../views/text.ts';
import type { Known, ReadyWorkspace, Workspace } from '../workspace/workspace.ts';
import type { Connection } from './connection/connection.ts';

export type SharedDeps = Pick<Connection, 'isSharedSince'> &
  Readonly<{
    store: Store;
    clock: Clock;
    log: Logger;
    newContext: () => AnyJobContext;
    known: Known;
    featureViews: FeatureViews;
    featureButtons: readonly JobButton[];
    /** Null: no answer. */
    agentHasJob: (projectId: string, agentJobId: string) => Promise<boolean | null>;
    featureListeners: readonly FeatureListeners[];
    featureSettingsOf: (teamId: string) => object;
    lookForMissed: () => void;
    onEnded: (body: unknown) => Promise<void>;
  }>;

/** With the workspace of the installation, not the person's. */
export interface ListenerDeps extends SharedDeps, ReadyWorkspace {}

export interface AnyWorkspaceDeps extends SharedDeps, Workspace {}

export type Listener<Event> = (deps: ListenerDeps, event: Event) => Promise<void>;

export type EventListener<Name = EventName> = Listener<{
  readonly event: Extract<SlackEvent, { type: Name }>;
  readonly body: EnvelopedEvent;
  readonly context: Context;
}>;

type EventName = SlackEvent['type'];

export type EventListeners = { readonly [Name in EventName]?: EventListener<Name> };

/** Returns the answer; null: none, or already sent. */
export type InteractionListener<Made> = (deps: ListenerDeps, made: Made) => Promise<SlackMessage | null>;

export type CommandListener<Kind = Intent['kind']> = (
  deps: ListenerDeps,
  command: SlashCommand,
  intent: Extract<Intent, { kind: Kind }>,
) => Promise<SlackMessage | null>;

export type CommandListeners = { readonly [Kind in Intent['kind']]?: CommandListener<Kind> };

export type FeatureListeners = Readonly<{
  commands?: (deps: ListenerDeps) => CommandListeners;
  answers?: {
    readonly [Kind in Intent['kind']]?: (deps: ListenerDeps, userId: string) => Promise<SlackMessage>;
  };
  presses?: Presses;
  submissions?: Submissions;
  events?: EventListeners;
  /** Named requests, such as recipes. */
  menu?: {
    readonly namesFor: (deps: ListenerDeps, userId: string) => Promise<readonly string[]>;
    readonly choose: (
      deps: ListenerDeps,
      form: Submission,
      chosen: { name: string; responseUrl: string | null },
    ) => Promise<SlackMessage | null>;
  };
}>;

export async function namesOnMenu(deps: ListenerDeps, userId: string): Promise<readonly string[]> {
  const names = deps.featureListeners.map(({ menu }) => menu?.namesFor(deps, userId) ?? []);
  return (await Promise.all(names)).flat();
}

export type Presses = { readonly [Name in keyof typeof otherButtons]?: InteractionListener<Press> };
export type Submissions = { readonly [Name in keyof typeof viewIds]?: InteractionListener<Submission> };

/** A request whose author waits. Each answer also acknowledges it if needed. */
export type Interaction = Readonly<{
  userId: string;
  /** Null: on the Home tab, or in a form. */
  channelId: string | null;
  triggerId: string;
  responseUrl: string | null;
  /** The same for every delivery. */
  keys: readonly string[];
  ack(): Promise<void>;
  /** Privately, or as an error at a form's field: the form keeps its input. */
  tell(answer: SlackMessage, field?: string): Promise<void>;
  /** Default: `tell`. */
  refuse?(problem: SlackMessage): Promise<void>;
}>;

export type SlashCommand = ReturnType<typeof commandOf>;
export type Press = ReturnType<typeof pressOf>;
export type Shortcut = ReturnType<typeof shortcutOf>;
export type Submission = ReturnType<typeof submissionOf>;

type Deps = Pick<AnyWorkspaceDeps, 'teamId' | 'log' | 'poster'>;

function triggerKeys(kind: 'trigger' | 'press', { teamId }: Deps, triggerId: string | undefined) {
  return triggerId ? [`${kind}:${teamId}:${triggerId}`] : [];
}

function acknowledgeOnce<Response>(ack: (response?: Response) => Promise<void>) {
  let acknowledged: Promise<void> | null = null;
  return (response?: Response) => {
    acknowledged ??= response === undefined ? ack() : ack(response);
    return acknowledged;
  };
}

export function commandOf(deps: Deps, { command, ack: give }: SlackCommandMiddlewareArgs) {
  const ack = acknowledgeOnce(give);
  return {
    userId: command.user_id,
    channelId: command.channel_id,
    triggerId: command.trigger_id,
    responseUrl: command.response_url || null,
    keys: triggerKeys('trigger', deps, command.trigger_id),
    text: command.text ?? '',
    ack,
    tell: (message: SlackMessage) => ack({ response_type: 'ephemeral', ...message }),
  };
}

export function pressOf(deps: Deps, { action, body, ack }: SlackActionMiddlewareArgs<BlockButtonAction>) {
  const { trigger_id: triggerId, view, message } = body;
  const answers = answersBeside(deps, body, ack);
  return {
    ...answers,
    buttonId: action.action_id,
    /** Untrusted. */
    value: action.value ?? '',
    view,
    channelId: body.channel?.id ?? null,
    keys: triggerKeys('press', deps, triggerId),
    pressedTs: action.action_ts,
    ...(message !== undefined && { messageTs: message.ts }),
    refuse: async (problem: SlackMessage) => {
      if (answers.responseUrl !== null) return answers.tell(problem);
      await answers.ack();
      const modal = plainModal('Not allowed', problem);
      const { poster } = deps;
      const shown =
        view?.type === 'modal' ? poster.updateModal(view.id, modal) : poster.openModal(triggerId, modal);
      await bestEffort(deps, shown);
    },
  };
}

export function shortcutOf(deps: Deps, { shortcut, ack }: SlackShortcutMiddlewareArgs<MessageShortcut>) {
  const { channel, message } = shortcut;
  return { ...answersBeside(deps, shortcut, ack), channelId: channel.id, keys: [], message };
}

type Times = Readonly<Partial<Record<'thread_ts' | 'message_ts' | 'ts', unknown>>>;

function answersBeside(deps: Deps, body: BlockButtonAction | MessageShortcut, give: () => Promise<void>) {
  const { container, message } = body as { readonly container?: Times; readonly message?: Times };
  const userId = body.user.id;
  // Null on the Home tab and in forms.
  const responseUrl = body.response_url || null;
  const ack = acknowledgeOnce(() => give());
  const respond = (answer: SlackMessage, place: object) =>
    bestEffort(deps, deps.poster.respondPrivately(userId, responseUrl, answer, place));
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  const ownTs = container?.message_ts ?? message?.ts;
  // Answers to a root message show in its channel.
  const place = typeof threadTs === 'string' && threadTs !== ownTs ? { thread_ts: threadTs } : {};
  /** At the message or in its thread. Does not acknowledge. */
  const tellBeside = (answer: SlackMessage) =>
    respond(answer, { response_type: 'ephemeral', replace_original: false, ...place });
  return {
    userId,
    triggerId: body.trigger_id,
    responseUrl,
    ack,
    tellBeside,
    tell: async (answer: SlackMessage) => {
      await ack();
      await tellBeside(answer);
    },
    replace: async (answer: SlackMessage) => {
      await ack();
      await respond(answer, { replace_original: true });
      return null;
    },
  };
}

export function submissionOf(
  deps: Deps,
  { ack: give, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction>,
) {
  const ack = acknowledgeOnce(give);
  const update = async (next: ModalView) => {
    await ack({ response_action: 'update', view: next });
    return null;
  };
  const firstField = view.blocks.find(({ type }) => type === 'input')?.block_id;
  return {
    userId: body.user.id,
    channelId: null,
    triggerId: body.trigger_id,
    responseUrl: null,
    keys: [`view:${deps.teamId}:${view.id}`],
    view,
    get values() {
      return valuesIn(view);
    },
    ack,
    tell: async (problem: SlackMessage, field = firstField) => {
      // A form without messages to tick has no field.
      if (field === undefined) await update(plainModal(labels.askDocsAgent, problem));
      else await ack({ response_action: 'errors', errors: { [field]: atField(problem) } });
    },
    update,
  };
}

function valuesIn({ state, blocks }: ViewOutput) {
  const at = (id: string) => state.values[id]?.[id];
  return {
    /** Escaped as Slack delivers text. */
    text: escapeMrkdwn(sanitize(at(formIds.prompt)?.value ?? '')).trim(),
    projectId: at(formIds.project)?.selected_option?.value ?? null,
    recipe: at(formIds.recipe)?.selected_option?.value ?? null,
    agentJobId: (at(formIds.agentJob)?.value ?? '').trim(),
    channelId: at(formIds.channel)?.selected_conversation ?? null,
    ticked: Object.keys(state.values)
      .filter((id) => id.startsWith(formIds.messages))
      .flatMap((id) => at(id)?.selected_options ?? [])
      .map(({ value }) => value),
    tickable: blocks.flatMap((block) =>
      'element' in block && block.element.type === 'checkboxes'
        ? block.element.options.flatMap(({ value }) => value ?? [])
        : [],
    ),
  };
}

export async function bestEffort({ log }: Pick<Deps, 'log'>, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}
