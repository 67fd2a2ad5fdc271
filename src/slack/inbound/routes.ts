import { type AllMiddlewareArgs, type AnyMiddlewareArgs, App, type Context } from '@slack/bolt';
import { type MessageEvent, writtenOf } from '../messages/message-event.ts';
import { ASK_SHORTCUT_ID, viewIds } from '../protocol/ids.ts';
import {
  type Button,
  buttons,
  idsOf,
  jobButtons,
  linkButtons,
  otherButtons,
} from '../views/parts/buttons.ts';
import { notInstalledView, notSetUpView } from '../views/refusals.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import { answerFetch } from '../workspace/web-api/http.ts';
import { isReady, type ReadyWorkspace, type Workspaces } from '../workspace/workspace.ts';
import { showAllHelp, showHelp, takeCommand } from './commands/command.ts';
import { showJob, turnPage } from './commands/status.ts';
import { type Connection, type ConnectionOptions, httpConnection } from './connection/connection.ts';
import { socketConnection } from './connection/kept-socket.ts';
import { noteRequest } from './connection/request-log.ts';
import { deleted, homeOpened, joined, mark, nowShared, unarchived } from './events.ts';
import { composeFromHome, composeSubmitted, messageShortcut } from './forms/compose.ts';
import {
  editPressed,
  editSubmitted,
  followUpPressed,
  followUpSubmitted,
  namePressed,
  nameSubmitted,
  resolvePressed,
  startAnother,
  startAnotherSubmitted,
} from './forms/decision-forms.ts';
import { draftPressed, draftSubmitted } from './forms/drafts.ts';
import { chooseSaidSince, saidSinceSubmitted, sendSaidSince } from './forms/said-since.ts';
import { settingsChannelChosen, settingsFromHome, settingsSubmitted } from './forms/settings.ts';
import { chooseMessages, startInThread, threadPreviewSubmitted } from './forms/thread.ts';
import { jobButton } from './job-button.ts';
import {
  type AnyWorkspaceDeps,
  bestEffort,
  type Command,
  commandOf,
  type Interaction,
  type ListenerDeps,
  type Press,
  pressOf,
  type SharedDeps,
  type Shortcut,
  type Submission,
  shortcutOf,
  submissionOf,
} from './listener.ts';
import { message } from './messages/message.ts';
import { recipeFormSubmitted, runPressed } from './recipes/run.ts';
import { resumeRecipe } from './recipes/start-recipe.ts';
import { admissionProblem, answering } from './requests/door.ts';
import { stepReached } from './workflows/step.ts';

type Listener<Of> = (deps: ListenerDeps, of: Of) => Promise<void>;

/** A button whose press is a job event needs no listener of its own (`jobButton`). */
const presses: Readonly<Record<keyof typeof otherButtons, Listener<Press>>> = {
  startJob: composeFromHome,
  startAnother,
  start: startAnother,
  startIn: startAnother,
  showHelp,
  showAllHelp,
  startWithThread: startInThread(true),
  chooseMessages,
  sendSaidSince,
  chooseSaidSince,
  onlyMyWords: startInThread(false),
  editAndStart: editPressed,
  editDraft: draftPressed,
  chooseForDraft: draftPressed,
  resolveStart: resolvePressed,
  watchAgentJob: namePressed,
  followUp: followUpPressed,
  runRecipe: runPressed,
  resumeRecipe,
  settings: settingsFromHome,
  newer: turnPage,
  older: turnPage,
  details: showJob,
};

const submissions: Readonly<Record<keyof typeof viewIds, Listener<Submission>>> = {
  compose: composeSubmitted,
  followUp: followUpSubmitted,
  editRequest: editSubmitted,
  agentJob: nameSubmitted,
  draft: draftSubmitted,
  threadPreview: threadPreviewSubmitted,
  saidSince: saidSinceSubmitted,
  startAnother: startAnotherSubmitted,
  recipe: recipeFormSubmitted,
  settings: settingsSubmitted,
  settingsChannel: settingsChannelChosen,
};

/** Registers everything that can arrive, behind the checks of workspace and person. */
function registerListeners(app: App, shared: SharedDeps): void {
  const depsOf = (context: Context) => ({ ...shared, ...workspaceOf(context) });
  const here =
    <Args extends { readonly context: Context }>(listener: Listener<Args>) =>
    (args: Args) =>
      listener(depsOf(args.context), args);
  /** For what a person made, as `checkAccess` has left it. */
  const made =
    <Made extends Interaction>(listener: Listener<Made>) =>
    ({ context }: { readonly context: Context }) =>
      listener(depsOf(context), context.made);
  const onPress = (button: Button, listener: Listener<Press>) => {
    for (const id of idsOf(button)) app.action({ type: 'block_actions', action_id: id }, made(listener));
  };

  app.use(async (args) => {
    const { workspace } = args.context;
    // Missing if the installation has ended: Bolt authorizes no event that says so.
    await (workspace === undefined
      ? shared.onEnded(args.body)
      : checkWorkspace({ ...shared, ...workspace }, args));
  });
  app.use(async (args) => {
    // An event in a channel that is shared with another organisation says so.
    const { is_ext_shared_channel: isShared, event } = args.body as Readonly<Record<string, unknown>>;
    const channelId = Object(event).channel ?? Object(Object(event).item).channel;
    if (isShared === true && typeof channelId === 'string') {
      workspaceOf(args.context).access.shared.nowShared(channelId);
    }
    await args.next();
  });
  app.use(here(checkAccess));

  app.command('/docs-agent', made(takeCommand));
  app.event('message', here(message));
  app.event('app_mention', here(message));
  app.event('reaction_added', here(mark));
  app.event('reaction_removed', here(mark));
  app.event('app_home_opened', here(homeOpened));
  app.event('member_joined_channel', here(joined));
  app.event('channel_shared', here(nowShared));
  app.event('channel_unarchive', here(unarchived));
  app.event('group_unarchive', here(unarchived));
  app.event('channel_deleted', here(deleted));
  app.event('group_deleted', here(deleted));
  app.event('function_executed', here(stepReached));
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, made(messageShortcut));
  for (const name of namesOf(jobButtons)) {
    onPress(jobButtons[name], (deps, press) => jobButton(deps, press, name));
  }
  for (const name of namesOf(presses)) onPress(otherButtons[name], presses[name]);
  for (const id of LINK_IDS) app.action({ type: 'block_actions', action_id: id }, ({ ack }) => ack());
  for (const name of namesOf(submissions)) app.view(viewIds[name], made(submissions[name]));
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

/** `checkWorkspace` has let the request through. */
function workspaceOf(context: Context): ReadyWorkspace {
  return context.workspace;
}

/** Bolt does not export the type of its extended error handler. */
type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(
  workspaces: Workspaces,
  { receiver }: Connection,
  // `apiUrl`: null is Slack's own.
  { apiUrl, logger, ...shared }: SharedDeps & Pick<ConnectionOptions, 'apiUrl' | 'logger'>,
): App {
  const app = new App({
    // No token: Bolt would keep an unused client for every token it saw.
    authorize: async (_source, body) => {
      const workspace = await workspaces.ofRequest(body);
      const { teamId, botId, botUserId } = workspace;
      return { teamId, botId, botUserId, workspace };
    },
    receiver,
    // Used for answers to requests only.
    clientOptions: { fetch: answerFetch(apiUrl) },
    logger,
    convoStore: false,
    // Nor for every token of a workflow step.
    attachFunctionToken: false,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: FailureArgs) => {
    // Slack did not answer a check that comes first, such as whether the person may do this.
    const isSlacks = 'original' in error && error.original instanceof SlackCallError;
    shared.log[isSlacks ? 'warn' : 'error']('listener_failed', { error });
    if (body.type === 'event_callback') shared.lookForMissed();
    // Rethrown: the request stays unacknowledged, so Slack redelivers it.
    throw error;
  });
  registerListeners(app, shared);
  return app;
}

export function createConnection(
  transport:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string },
  options: ConnectionOptions,
): Connection {
  return transport.kind === 'socket'
    ? socketConnection(transport.appToken, options)
    : httpConnection(transport.signingSecret, options);
}

type Args = AnyMiddlewareArgs & AllMiddlewareArgs;

/**
 * Runs before the listeners of commands, buttons, shortcuts and forms: refuses people who may not use the
 * program. Messages pass: most do not concern it, and their listeners call `isAdmitted`.
 */
async function checkAccess(deps: ListenerDeps, args: Args): Promise<void> {
  const made = interactionOf(deps, args);
  if (made === null) return args.next();
  args.context.made = made;
  const isElsewhere = 'buttonId' in made && REQUESTERS_IDS.has(made.buttonId);
  await answering(deps, async () => {
    const problem = await admissionProblem(deps, made.userId, isElsewhere ? null : made.channelId);
    if (problem === null) return args.next();
    noteRequest({ outcome: 'refused' });
    await made.refuse(problem);
  });
}

/** Runs first: in a workspace that is not set up, people are told so, and nothing is stored. */
async function checkWorkspace(deps: AnyWorkspaceDeps, args: Args): Promise<void> {
  if (isReady(deps)) return args.next();
  const made = interactionOf(deps, args);
  // Slack opens a button's link in any case.
  if (made === null && 'action' in args) return args.ack();
  noteRequest({ outcome: 'refused' });
  const { teamId, isInstalled } = deps;
  const problem = isInstalled ? notSetUpView(teamId) : notInstalledView;
  if (made !== null) return made.refuse(problem);
  deps.log.info('workspace_not_ready', { team_id: teamId, is_installed: isInstalled });
  if (isInstalled) await bestEffort(deps, answerEvent(deps, args));
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

/** Null for a message, event or link, which Slack opens in any case: nobody waits for an answer. */
function interactionOf(deps: AnyWorkspaceDeps, args: Args): Command | Press | Shortcut | Submission | null {
  if ('command' in args) return commandOf(deps, args as Parameters<typeof commandOf>[1]);
  const { type } = args.body;
  if ('action' in args && type === 'block_actions') {
    const press = pressOf(deps, args as Parameters<typeof pressOf>[1]);
    return LINK_IDS.has(press.buttonId) ? null : press;
  }
  if ('shortcut' in args && type === 'message_action') {
    return shortcutOf(deps, args as Parameters<typeof shortcutOf>[1]);
  }
  if ('view' in args && type === 'view_submission') {
    return submissionOf(deps, args as Parameters<typeof submissionOf>[1]);
  }
  return null;
}
