import type { AllMiddlewareArgs, MessageShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { nothingAttached } from '../../../jobs/attached.ts';
import { attachedOf, carried } from '../../messages/attached.ts';
import { decodePlace, type Place } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { readableText } from '../../protocol/readable-text.ts';
import { type Compose, composeView, noFormView, promptAbout } from '../../views/forms/compose.ts';
import { noChannelView } from '../../views/refusals.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { CommandArgs, ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { inTime } from '../requests/in-time.ts';
import { answer, answerBeside, bestEffort, openForm } from '../requests/replies.ts';
import { projectOf } from '../requests/start-job.ts';
import { filledIn, refuseAtField, startFromForm } from './submit.ts';
import { saidIn } from './thread-lines.ts';

/** `/docs-agent` alone: the form asks for the rest. */
export async function compose(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const { channel_id: channelId, response_url, trigger_id: triggerId } = args.command;
  const responseUrl = response_url || null;
  const isOpen = await openCompose(deps, triggerId, { channelId, responseUrl });
  await (isOpen ? args.ack() : answer(args, noFormView()));
}

/** *Start a job* at the app's home. */
export function composeFromHome(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    if (await openCompose(deps, body.trigger_id, { channelId: null, responseUrl: null })) return;
    await bestEffort(deps, deps.poster.tell(body.user.id, null, noFormView()));
  };
}

/** The form that asks for a job was submitted. */
export function composeSubmitted(deps: ListenerDeps) {
  return async (args: SubmitArgs): Promise<void> => {
    const place = decodePlace(args.view.private_metadata);
    const { text, project, channelId: chosen } = filledIn(deps, args.view);
    const channelId = place?.channelId ?? chosen;
    if (channelId === null) return refuseAtField(args.ack, noChannelView(), formIds.channel);
    const responseUrl = place?.responseUrl ?? null;
    const attached = place?.attached ?? nothingAttached;
    await startFromForm(deps, args, { channelId, text, attached, project, responseUrl, thread: null });
  };
}

type Args = SlackShortcutMiddlewareArgs<MessageShortcut> & AllMiddlewareArgs;

/** Slack waits 3 seconds for a form: without an answer the ids stay, there is no link, and the first project is offered. */
const LOOKED_UP_WITHIN_MS = 500;
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
      inTime(deps, LOOKED_UP_WITHIN_MS, deps.names.of(said), new Map<string, string>()),
    ]);
    const attached = carried(attachedOf(message), ATTACHED_MAX);
    const place = { channelId: channel.id, responseUrl: response_url || null, attached };
    const { promptMaxLength } = deps.newContext().policy;
    const quoted = promptAbout(readableText(said, names), link, promptMaxLength);
    if (await openCompose(deps, triggerId, place, quoted)) return;
    await answerBeside(deps, { body: shortcut, respond }, noFormView());
  };
}

/** Opens the form that asks for a job. False if Slack did not, or not in time. */
async function openCompose(
  deps: ListenerDeps,
  triggerId: string,
  place: Place,
  filledIn: Pick<Compose, 'prompt' | 'isCut'> = { prompt: '', isCut: false },
): Promise<boolean> {
  const [first] = deps.projects;
  const looked = projectOf(deps, place.channelId).catch((error: unknown) => {
    deps.log.warn('project_not_read', { error });
    return first;
  });
  const project = await inTime(deps, LOOKED_UP_WITHIN_MS, looked, first);
  const view = composeView({
    place,
    ...filledIn,
    projects: deps.projects,
    project,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  });
  return (await openForm(deps, triggerId, view)) !== null;
}

/** The address of any message; null if Slack does not give it, or not soon. */
function permalinkSoon(deps: ListenerDeps, channelId: string, ts: string): Promise<string | null> {
  return inTime(deps, LOOKED_UP_WITHIN_MS, permalink(deps, channelId, ts), null);
}

async function permalink({ poster }: ListenerDeps, channelId: string, ts: string): Promise<string | null> {
  try {
    return await poster.permalink(channelId, ts);
  } catch (error) {
    if (error instanceof SlackCallError) return null;
    throw error;
  }
}
