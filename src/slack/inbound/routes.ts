import { App, type BlockButtonAction, type Context, type SlackEventMiddlewareArgs } from '@slack/bolt';
import { type MessageEvent, writtenOf } from '../messages/message-event.ts';
import { ASK_SHORTCUT_ID, viewIds } from '../protocol/ids.ts';
import { type ButtonKind, idsOf, jobButtons, linkButtons, otherButtons } from '../views/buttons.ts';
import type { SlackMessage } from '../views/message.ts';
import { buttonGoneView, notInstalledView, notSetUpView } from '../views/private-answers.ts';
import { SlackCallError } from '../workspace/caller.ts';
import { isReady, type Workspaces } from '../workspace/workspace.ts';
import { admissionProblem } from './admission.ts';
import { answerCommand, commandPresses } from './commands.ts';
import { type Connection, type ConnectionOptions, httpConnection } from './connection/connection.ts';
import { socketConnection } from './connection/kept-socket.ts';
import { noteRequest } from './connection/requests.ts';
import { events } from './events.ts';
import { jobFormPresses, jobFormSubmissions } from './forms/job-forms.ts';
import { settingsSubmissions } from './forms/settings.ts';
import { threadPresses, threadSubmissions } from './forms/thread.ts';
import { refusedIn, withDeadline } from './interaction.ts';
import { answerJobButton } from './job-button.ts';
import {
  type AnyWorkspaceDeps,
  bestEffort,
  commandOf,
  type EventListener,
  type Interaction,
  type InteractionListener,
  type Listener,
  type Press,
  type Presses,
  pressOf,
  type SharedDeps,
  type Submissions,
  shortcutOf,
  submissionOf,
} from './listener.ts';
import { messageListener } from './message.ts';
import { composePresses, composeSubmissions, messageShortcut } from './start-job.ts';

/** Features have the others. */
const presses: Required<Omit<Presses, 'runRecipe' | 'resumeRecipe' | 'askForFix' | 'sendReview'>> = {
  ...commandPresses,
  ...composePresses,
  ...jobFormPresses,
  ...threadPresses,
};

const submissions: Required<Omit<Submissions, 'recipe' | 'fix' | 'review'>> = {
  ...composeSubmissions,
  ...jobFormSubmissions,
  ...settingsSubmissions,
  ...threadSubmissions,
};

function registerListeners(app: App, shared: SharedDeps) {
  /** People wait for the answer. */
  const serve =
    <Given, Made extends Interaction>(
      makeInteraction: (deps: AnyWorkspaceDeps, given: Given) => Made,
      listener: InteractionListener<Made>,
      isElsewhere = false,
    ) =>
    async (given: Given & { context: Context }) => {
      const deps: AnyWorkspaceDeps = { ...shared, ...given.context.workspace };
      const made = makeInteraction(deps, given);
      const refuse = (problem: SlackMessage) => {
        noteRequest({ outcome: 'refused' });
        return made.refuse ? made.refuse(problem) : made.tell(problem);
      };
      if (!isReady(deps)) return refuse(deps.isInstalled ? notSetUpView(deps.teamId) : notInstalledView);
      await withDeadline(deps, async () => {
        const problem = await admissionProblem(deps, made.userId, isElsewhere ? null : made.channelId);
        if (problem !== null) return refuse(problem);
        try {
          const message = await listener(deps, made);
          await (message === null ? made.ack() : made.tell(message));
        } catch (error) {
          const refused = refusedIn(error);
          await made.tell(refused.answer, refused.field);
        }
      });
    };
  const present = new Set(Object.values(linkButtons).flatMap(idsOf));
  const onPress = (button: ButtonKind, listener: InteractionListener<Press>) => {
    for (const id of idsOf(button)) {
      present.add(id);
      const served = serve(pressOf, listener, button.isRequesters);
      app.action<BlockButtonAction>({ type: 'block_actions', action_id: id }, served);
    }
  };
  const inWorkspace =
    <Event extends { context: Context }>(listener: Listener<Event>) =>
    (args: Event) =>
      listener({ ...shared, ...args.context.workspace }, args);

  app.use(async (args) => {
    const { workspace } = args.context;
    // Undefined for events that end an installation: Bolt does not authorize them.
    if (workspace === undefined) await shared.onEnded(args.body);
    else if (!('event' in args) || (await mayBeServed({ ...shared, ...workspace }, args))) await args.next();
  });

  app.command('/docs-agent', serve(commandOf, answerCommand));
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, serve(shortcutOf, messageShortcut));
  for (const button of [...Object.values(jobButtons), ...shared.featureButtons]) {
    onPress(button, (deps, press) => answerJobButton(deps, press, button));
  }
  // Slack opens the link, but still expects an acknowledgement.
  for (const { id } of Object.values(linkButtons)) app.action(id, ({ ack }) => ack());
  const message = inWorkspace(messageListener());
  app.event('message', message);
  app.event('app_mention', message);
  for (const listeners of [{ presses, submissions, events }, ...shared.featureListeners]) {
    for (const [name, listener] of entriesOf(listeners.presses)) onPress(otherButtons[name], listener);
    for (const [name, listener] of entriesOf(listeners.submissions))
      app.view(viewIds[name], serve(submissionOf, listener));
    for (const [name, listener] of Object.entries(listeners.events ?? {}))
      app.event(name, inWorkspace(listener as EventListener));
  }
  app.action<BlockButtonAction>(
    { type: 'block_actions' },
    async ({ action, next }) => {
      if (action.type === 'button' && !present.has(action.action_id)) await next();
    },
    serve(pressOf, async () => buttonGoneView),
  );
}

function entriesOf<Name extends string, Value>(table: { [N in Name]?: Value } = {}) {
  return Object.entries(table) as [Name, Value][];
}

type FailureArgs = Parameters<Parameters<App['error']>[0]>[0];

export function createSlackApp(
  workspaces: Workspaces,
  { receiver }: Connection,
  { logger, ...shared }: SharedDeps & Pick<ConnectionOptions, 'logger'>,
): App {
  const app = new App({
    // No token: Bolt would keep an unused client for each.
    authorize: async (_source, body) => {
      const workspace = await workspaces.ofRequest(body);
      const { teamId, botId, botUserId } = workspace;
      return { teamId, botId, botUserId, workspace };
    },
    receiver,
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

/**
 * Most events do not concern the program, so their listeners check access: see `isAdmitted`. False: the
 * workspace is not ready; whoever spoke to the bot has been told.
 */
async function mayBeServed(deps: AnyWorkspaceDeps, { event, body }: SlackEventMiddlewareArgs) {
  if (isReady(deps)) {
    const { channel, item } = event as { channel?: unknown; item?: { channel?: unknown } };
    const channelId = channel ?? item?.channel;
    if (body.is_ext_shared_channel === true && typeof channelId === 'string') {
      deps.access.shared.nowShared(channelId);
    }
    return true;
  }
  noteRequest({ outcome: 'refused' });
  const { teamId, isInstalled } = deps;
  deps.log.info('workspace_not_ready', { team_id: teamId, is_installed: isInstalled });
  if (isInstalled) await bestEffort(deps, answerNotSetUp(deps, event));
  return false;
}

async function answerNotSetUp(deps: AnyWorkspaceDeps, event: SlackEventMiddlewareArgs['event']) {
  const problem = notSetUpView(deps.teamId);
  if (event.type === 'app_home_opened') return deps.poster.publishHome(event.user, problem);
  const isSpokenTo =
    event.type === 'app_mention' || (event.type === 'message' && event.channel_type === 'im');
  const written = isSpokenTo ? writtenOf(event as MessageEvent, deps.botUserId) : null;
  if (written === null || !(await deps.access.isPerson(written.userId, written.isPostedByApp))) return;
  await deps.poster.replyPrivately(written, problem);
}
