import { App, type Context } from '@slack/bolt';
import { type MessageEvent, writtenOf } from '../messages/message-event.ts';
import { ASK_SHORTCUT_ID, viewIds } from '../protocol/ids.ts';
import { type ButtonKind, buttons, idsOf, jobButtons, linkButtons, otherButtons } from '../views/buttons.ts';
import { notInstalledView, notSetUpView } from '../views/private-answers.ts';
import { answerFetch, SlackCallError } from '../workspace/caller.ts';
import { isReady, type Workspaces } from '../workspace/workspace.ts';
import { answerCommand, commandPresses } from './commands.ts';
import { type Connection, type ConnectionOptions, httpConnection } from './connection/connection.ts';
import { socketConnection } from './connection/kept-socket.ts';
import { noteRequest } from './connection/requests.ts';
import { admissionProblem, answer, withDeadline } from './door.ts';
import { events } from './events.ts';
import { jobFormPresses, jobFormSubmissions } from './forms/job-forms.ts';
import { settingsPresses, settingsSubmissions } from './forms/settings.ts';
import { threadPresses, threadSubmissions } from './forms/thread.ts';
import { jobButton } from './job-button.ts';
import {
  type AnyWorkspaceDeps,
  type Args,
  bestEffort,
  type EventListener,
  type Interaction,
  type InteractionListener,
  interactionOf,
  type Listener,
  type ListenerDeps,
  type Press,
  type Presses,
  type SharedDeps,
  type Submissions,
} from './listener.ts';
import { messageListener } from './message.ts';
import { composePresses, composeSubmissions, messageShortcut } from './start-job.ts';

/** Features have the others. */
const presses: Required<Omit<Presses, 'runRecipe' | 'resumeRecipe'>> = {
  ...commandPresses,
  ...composePresses,
  ...jobFormPresses,
  ...settingsPresses,
  ...threadPresses,
};

const submissions: Required<Omit<Submissions, 'recipe'>> = {
  ...composeSubmissions,
  ...jobFormSubmissions,
  ...settingsSubmissions,
  ...threadSubmissions,
};

function registerListeners(app: App, shared: SharedDeps) {
  /** Valid after `checkWorkspace`. */
  const depsOf = ({ workspace }: Context): ListenerDeps => ({ ...shared, ...workspace });
  const inWorkspace =
    <Event extends { context: Context }>(listener: Listener<Event>) =>
    (args: Event) =>
      listener(depsOf(args.context), args);
  const onInteraction =
    <Made extends Interaction>(listener: InteractionListener<Made>) =>
    ({ context }: { context: Context }) =>
      answer(depsOf(context), context.made as Made, listener);
  const onPress = (button: ButtonKind, listener: InteractionListener<Press>) => {
    for (const id of idsOf(button))
      app.action({ type: 'block_actions', action_id: id }, onInteraction(listener));
  };

  app.use(async (args) => {
    const { workspace } = args.context;
    // Undefined for events that end an installation: Bolt does not authorize them.
    await (workspace === undefined
      ? shared.onEnded(args.body)
      : checkWorkspace({ ...shared, ...workspace }, args));
  });
  app.use(async (args) => {
    const { is_ext_shared_channel: isShared, event } = args.body as Readonly<Record<string, unknown>>;
    const channelId = Object(event).channel ?? Object(Object(event).item).channel;
    if (isShared === true && typeof channelId === 'string') {
      depsOf(args.context).access.shared.nowShared(channelId);
    }
    await args.next();
  });
  app.use(inWorkspace(checkAccess));

  const message = inWorkspace(messageListener());
  app.command('/docs-agent', onInteraction(answerCommand));
  app.event('message', message);
  app.event('app_mention', message);
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, onInteraction(messageShortcut));
  for (const button of [...Object.values(jobButtons), ...shared.featureButtons]) {
    onPress(button, (deps, press) => jobButton(deps, press, button));
  }
  for (const { id } of Object.values(linkButtons)) app.action(id, ({ ack }) => ack());
  for (const listeners of [{ presses, submissions, events }, ...shared.featureListeners]) {
    for (const [name, listener] of entriesOf(listeners.presses)) onPress(otherButtons[name], listener);
    for (const [name, listener] of entriesOf(listeners.submissions))
      app.view(viewIds[name], onInteraction(listener));
    for (const [name, listener] of Object.entries(listeners.events ?? {}))
      app.event(name, inWorkspace(listener as EventListener));
  }
}

function entriesOf<Name extends string, Value>(table: { [N in Name]?: Value } = {}) {
  return Object.entries(table) as [Name, Value][];
}

type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(
  workspaces: Workspaces,
  { receiver }: Connection,
  { apiUrl, logger, ...shared }: SharedDeps & Pick<ConnectionOptions, 'apiUrl' | 'logger'>,
): App {
  const app = new App({
    // No token: Bolt would keep an unused client for each.
    authorize: async (_source, body) => {
      const workspace = await workspaces.ofRequest(body);
      const { teamId, botId, botUserId } = workspace;
      return { teamId, botId, botUserId, workspace };
    },
    receiver,
    clientOptions: { fetch: answerFetch(apiUrl) },
    logger,
    convoStore: false,
    // The same for tokens of workflow steps.
    attachFunctionToken: false,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: FailureArgs) => {
    // A preceding call to Slack failed.
    const isSlacks = 'original' in error && error.original instanceof SlackCallError;
    shared.log[isSlacks ? 'warn' : 'error']('listener_failed', { error });
    if (body.type === 'event_callback') shared.lookForMissed();
    // Unacknowledged, so Slack redelivers it.
    throw error;
  });
  registerListeners(app, shared);
  return app;
}

export function createConnection(
  transport: { kind: 'socket'; appToken: string } | { kind: 'http'; signingSecret: string },
  options: ConnectionOptions,
) {
  return transport.kind === 'socket'
    ? socketConnection(transport.appToken, options)
    : httpConnection(transport.signingSecret, options);
}

/** Messages pass: most do not concern the program, and their listeners call `isAdmitted`. */
async function checkAccess(deps: ListenerDeps, args: Args) {
  const made = interactionOf(deps, args);
  if (made === null) return args.next();
  args.context.made = made;
  const isElsewhere = 'buttonId' in made && REQUESTERS_IDS.has(made.buttonId);
  await withDeadline(deps, async () => {
    const problem = await admissionProblem(deps, made.userId, isElsewhere ? null : made.channelId);
    if (problem === null) return args.next();
    noteRequest({ outcome: 'refused' });
    await made.refuse(problem);
  });
}

async function checkWorkspace(deps: AnyWorkspaceDeps, args: Args) {
  if (isReady(deps)) return args.next();
  const made = interactionOf(deps, args);
  // Slack opens a button's link anyway.
  if (made === null && 'action' in args) return args.ack();
  noteRequest({ outcome: 'refused' });
  const { teamId, isInstalled } = deps;
  const problem = isInstalled ? notSetUpView(teamId) : notInstalledView;
  if (made !== null) return made.refuse(problem);
  deps.log.info('workspace_not_ready', { team_id: teamId, is_installed: isInstalled });
  if (isInstalled) await bestEffort(deps, answerEvent(deps, args));
}

async function answerEvent(deps: AnyWorkspaceDeps, args: Args) {
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

/** These can appear outside their job's channel; their listeners check access to it. */
const REQUESTERS_IDS: ReadonlySet<string> = new Set(
  Object.values<ButtonKind>(buttons).flatMap((button) => (button.isRequesters ? idsOf(button) : [])),
);
