import type {
  AllMiddlewareArgs,
  App,
  BlockButtonAction,
  Context,
  SlackEventMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { type ActionId, ASK_SHORTCUT_ID, actionIds, viewIds } from '../protocol/ids.ts';
import type { ReadyWorkspace } from '../workspace/workspace.ts';
import { jobActions } from './buttons/job-actions.ts';
import { jobButton } from './buttons/job-button.ts';
import { startAnother, startAnotherSubmitted } from './buttons/start-another.ts';
import { command } from './commands/command.ts';
import { turnPage } from './commands/list.ts';
import { showJob } from './commands/status.ts';
import type { ListenerDeps, PressArgs, SharedDeps, SubmitArgs } from './deps.ts';
import { chooseMessages } from './forms/choose-messages.ts';
import { composeFromHome, composeSubmitted, messageShortcut } from './forms/compose.ts';
import { followUpPressed, followUpSubmitted } from './forms/follow-up-form.ts';
import { settingsChannelChosen, settingsFromHome, settingsSubmitted } from './forms/settings.ts';
import { threadPreviewSubmitted } from './forms/thread-preview.ts';
import { message } from './messages/message.ts';
import { checkAccess, checkWorkspace } from './requests/gates.ts';

/** Works in the workspace of the request. */
type Listener<Args> = (deps: ListenerDeps) => (args: Args) => Promise<void>;
type JobActionId = keyof typeof jobActions;
type ViewId = (typeof viewIds)[keyof typeof viewIds];

/** A button whose press is an event of its job needs an entry in `jobActions` instead. */
const buttons: Readonly<Record<Exclude<ActionId, JobActionId>, Listener<PressArgs>>> = {
  [actionIds.startJob]: composeFromHome,
  [actionIds.startAnother]: startAnother,
  [actionIds.chooseMessages]: chooseMessages,
  [actionIds.followUp]: followUpPressed,
  [actionIds.openSettings]: settingsFromHome,
  [actionIds.listNewer]: turnPage,
  [actionIds.listOlder]: turnPage,
  [actionIds.showJob]: showJob,
  [actionIds.viewPullRequest]: linkPressed,
  [actionIds.openThread]: linkPressed,
};

const forms: Readonly<Record<ViewId, Listener<SubmitArgs>>> = {
  [viewIds.compose]: composeSubmitted,
  [viewIds.followUp]: followUpSubmitted,
  [viewIds.threadPreview]: threadPreviewSubmitted,
  [viewIds.startAnother]: startAnotherSubmitted,
  [viewIds.settings]: settingsSubmitted,
  [viewIds.settingsChannel]: settingsChannelChosen,
};

/** Registers all listeners, behind the checks of the workspace and of the person. */
export function registerListeners(app: App, shared: SharedDeps): void {
  const here =
    <Args extends { readonly context: Context }>(listener: Listener<Args>) =>
    (args: Args) =>
      listener({ ...shared, ...workspaceOf(args.context) })(withRespond(args));
  app.use(async (args) => {
    const { workspace } = args.context;
    // Of an installation that ended Bolt asks nothing.
    await (workspace === undefined
      ? shared.onEnded(args.body)
      : checkWorkspace({ ...shared, ...workspace })(args));
  });
  app.use(here(checkAccess));
  app.command('/docs-agent', here(command));
  app.event('message', here(message));
  app.event('app_mention', here(message));
  app.event('app_home_opened', here(homeOpened));
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, here(messageShortcut));
  const pressed = (id: string, listener: Listener<PressArgs>) =>
    app.action<BlockButtonAction>({ type: 'block_actions', action_id: id }, here(listener));
  for (const [id, listener] of Object.entries(buttons)) pressed(id, listener);
  for (const [id, action] of Object.entries(jobActions)) pressed(id, (deps) => jobButton(deps, action));
  for (const [id, listener] of Object.entries(forms)) app.view<ViewSubmitAction>(id, here(listener));
}

/** A button that opens a link sends its press, too. */
function linkPressed(): (args: PressArgs) => Promise<void> {
  return ({ ack }) => ack();
}

type HomeArgs = SlackEventMiddlewareArgs<'app_home_opened'> & AllMiddlewareArgs;

/** A person looks at the home tab: it is drawn anew. */
function homeOpened({ store, clock, teamId }: ListenerDeps) {
  return async ({ event }: HomeArgs): Promise<void> => {
    if (event.tab !== 'home') return;
    await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
  };
}

/** `checkWorkspace` has let the request through. */
function workspaceOf(context: Context): ReadyWorkspace {
  return context.workspace;
}

/** Slack gives no address for an answer to what is pressed in a form; a message's button has one. */
function withRespond<Args extends object>(args: Args): Args {
  const respond = () => Promise.reject(new Error('there is no response_url'));
  return 'respond' in args ? args : { ...args, respond };
}
