import type {
  AllMiddlewareArgs,
  App,
  BlockButtonAction,
  Context,
  SlackEventMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { ASK_SHORTCUT_ID, viewIds } from '../protocol/ids.ts';
import { type Button, idsOf, jobButtons, linkButtons, otherButtons } from '../views/parts/buttons.ts';
import type { ReadyWorkspace } from '../workspace/workspace.ts';
import { command } from './commands/command.ts';
import { showAllHelp, showHelp } from './commands/help.ts';
import { showJob, turnPage } from './commands/status.ts';
import type { ListenerDeps, PressArgs, SharedDeps, SubmitArgs } from './deps.ts';
import { composeFromHome, composeSubmitted, messageShortcut } from './forms/compose.ts';
import {
  editPressed,
  editSubmitted,
  followUpPressed,
  followUpSubmitted,
  namePressed,
  nameSubmitted,
  resolvePressed,
} from './forms/decision-forms.ts';
import { draftPressed, draftSubmitted, prepareStart } from './forms/draft-forms.ts';
import { chooseSaidSince, saidSinceSubmitted, sendSaidSince } from './forms/said-since.ts';
import { settingsChannelChosen, settingsFromHome, settingsSubmitted } from './forms/settings.ts';
import { startAnother, startAnotherSubmitted } from './forms/start-another.ts';
import { chooseMessages, startInThread, threadPreviewSubmitted } from './forms/thread-preview.ts';
import { jobButton } from './job-button.ts';
import { mark } from './messages/marks.ts';
import { message } from './messages/message.ts';
import { deleted, joined, nowShared, unarchived } from './places.ts';
import { recipeFormSubmitted, runPressed } from './recipes/run.ts';
import { resumeRecipe } from './recipes/start-recipe.ts';
import { checkAccess, checkWorkspace } from './requests/gates.ts';
import { stepReached } from './workflows/step.ts';

/** Works in the workspace of the request. */
type Listener<Args> = (deps: ListenerDeps) => (args: Args) => Promise<void>;

/** A button whose press is a job event needs no listener of its own (`jobButton`). */
const presses: Readonly<Record<keyof typeof otherButtons, Listener<PressArgs>>> = {
  startJob: composeFromHome,
  startAnother: startAnother,
  start: startAnother,
  startIn: startAnother,
  showHelp: showHelp,
  showAllHelp: showAllHelp,
  startWithThread: (deps) => startInThread(deps, true),
  chooseMessages: chooseMessages,
  sendSaidSince: sendSaidSince,
  chooseSaidSince: chooseSaidSince,
  onlyMyWords: (deps) => startInThread(deps, false),
  editAndStart: editPressed,
  editDraft: draftPressed,
  chooseForDraft: draftPressed,
  resolveStart: resolvePressed,
  watchAgentJob: namePressed,
  followUp: followUpPressed,
  runRecipe: runPressed,
  resumeRecipe: resumeRecipe,
  settings: settingsFromHome,
  newer: turnPage,
  older: turnPage,
  details: showJob,
};

const submissions: Readonly<Record<keyof typeof viewIds, Listener<SubmitArgs>>> = {
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
export function registerListeners(app: App, shared: SharedDeps): void {
  const here =
    <Args extends { readonly context: Context }>(listener: Listener<Args>) =>
    (args: Args) =>
      listener({ ...shared, ...workspaceOf(args.context) })(withRespond(args));
  const onPress = (button: Button, listener: Listener<PressArgs>) => {
    for (const actionId of idsOf(button)) {
      app.action<BlockButtonAction>({ type: 'block_actions', action_id: actionId }, here(listener));
    }
  };

  app.use(async (args) => {
    const { workspace } = args.context;
    // Missing if the installation has ended: Bolt authorizes no event that says so.
    await (workspace === undefined
      ? shared.onEnded(args.body)
      : checkWorkspace({ ...shared, ...workspace })(args));
  });
  app.use(async (args) => {
    const channelId = sharedChannelIn(args.body);
    if (channelId !== null) workspaceOf(args.context).access.nowShared(channelId);
    await args.next();
  });
  app.use(here(checkAccess));

  app.command('/docs-agent', here(command));
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
  app.shortcut({ callback_id: ASK_SHORTCUT_ID, type: 'message_action' }, here(messageShortcut));
  for (const name of namesOf(jobButtons)) {
    onPress(jobButtons[name], (deps) =>
      name === 'startDraft'
        ? jobButton(deps, name, (target, event) => prepareStart(deps, target, event))
        : jobButton(deps, name),
    );
  }
  for (const name of namesOf(presses)) onPress(otherButtons[name], presses[name]);
  for (const button of Object.values(linkButtons)) onPress(button, linkPressed);
  for (const name of namesOf(submissions)) app.view<ViewSubmitAction>(viewIds[name], here(submissions[name]));
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

function linkPressed(): (args: PressArgs) => Promise<void> {
  return ({ ack }) => ack();
}

type HomeArgs = SlackEventMiddlewareArgs<'app_home_opened'> & AllMiddlewareArgs;

/** Rendered again whenever a person opens it. */
function homeOpened({ store, clock, teamId }: ListenerDeps) {
  return async ({ event }: HomeArgs): Promise<void> => {
    if (event.tab !== 'home') return;
    await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
  };
}

/** The channel of an event that says it is shared with another organisation. */
function sharedChannelIn(body: object): string | null {
  if (!('is_ext_shared_channel' in body) || body.is_ext_shared_channel !== true) return null;
  const event: Readonly<Record<string, unknown>> = 'event' in body ? Object(body.event) : {};
  const channel = event.channel ?? Object(event.item).channel;
  return typeof channel === 'string' ? channel : null;
}

/** `checkWorkspace` has let the request through. */
function workspaceOf(context: Context): ReadyWorkspace {
  return context.workspace;
}

/** Slack gives no response URL for a button in a form; a message's button has one. */
function withRespond<Args extends object>(args: Args): Args {
  const respond = () => Promise.reject(new Error('there is no response_url'));
  return 'respond' in args ? args : { ...args, respond };
}
