import type {
  AllMiddlewareArgs,
  MessageShortcut,
  SlackShortcutMiddlewareArgs,
  ViewOutput,
} from '@slack/bolt';
import { z } from 'zod';
import { noAttachments } from '../../../jobs/requests/attachments.ts';
import { isBlank } from '../../../jobs/requests/command.ts';
import { attachmentsIn, fitAttachments } from '../../messages/attachments.ts';
import { saidIn } from '../../messages/thread-messages.ts';
import { type ComposeTarget, decodeComposeTarget } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { escapeMrkdwn, readableText, sanitize } from '../../protocol/slack-text.ts';
import { type Compose, composeView, noFormView, promptAbout } from '../../views/forms/compose.ts';
import { notBothView } from '../../views/recipes.ts';
import { noChannelView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { recipeChosen, recipesFor } from '../recipes/run.ts';
import { answer, answerBeside, bestEffort, inTime, openForm } from '../requests/door.ts';
import { projectOf } from '../requests/start-job.ts';
import { filledIn, refuseAtField, startFromForm } from './submit.ts';

/** `/docs-agent` alone opens the form. */
export async function compose(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const { channel_id: channelId, response_url, trigger_id: triggerId } = args.command;
  const responseUrl = response_url || null;
  const target = { channelId, responseUrl, from: 'form' } as const;
  const isOpen = await openCompose(deps, { triggerId, userId: args.command.user_id }, target);
  await (isOpen ? args.ack() : answer(args, noFormView));
}

/** *Start a job*: the home tab's form asks where; below a message, it starts there. */
export function composeFromHome(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    const channelId = body.channel?.id ?? null;
    const responseUrl = body.response_url || null;
    const from = channelId === null ? 'home' : 'form';
    const target = { channelId, responseUrl, from } as const;
    if (await openCompose(deps, { triggerId: body.trigger_id, userId: body.user.id }, target)) return;
    await bestEffort(deps, deps.poster.respondPrivately(body.user.id, null, noFormView));
  };
}

export function composeSubmitted(deps: ListenerDeps) {
  return async (args: SubmitArgs): Promise<void> => {
    const target = decodeComposeTarget(args.view.private_metadata);
    const { text, project, channelId: chosen, recipe } = filledIn(deps, args.view);
    if (recipe !== null) {
      const responseUrl = target?.responseUrl ?? null;
      return isBlank(text) || isAsOffered(text, args.view)
        ? recipeChosen(deps, args, { name: recipe, responseUrl })
        : refuseAtField(args.ack, notBothView, formIds.recipe);
    }
    const channelId = target?.channelId ?? chosen;
    if (channelId === null) return refuseAtField(args.ack, noChannelView, formIds.channel);
    const responseUrl = target?.responseUrl ?? null;
    const attachments = target?.attached ?? noAttachments;
    await startFromForm(deps, args, {
      channelId,
      origin: { kind: target?.from ?? 'form' },
      text,
      attachments,
      project,
      responseUrl,
      thread: null,
    });
  };
}

const promptBlock = z.object({
  block_id: z.literal(formIds.prompt),
  element: z.object({ initial_value: z.string() }),
});

/** The text is still the one that the form offered. Slack may return it escaped. */
function isAsOffered(text: string, { blocks }: ViewOutput): boolean {
  const initial = blocks
    .map((block) => promptBlock.safeParse(block).data?.element.initial_value ?? '')
    .join('');
  const offered = sanitize(initial).trim();
  return text === escapeMrkdwn(offered) || text === offered;
}

type Args = SlackShortcutMiddlewareArgs<MessageShortcut> & AllMiddlewareArgs;

/** Slack waits 3 seconds for a form: late look-ups leave ids, no link, and the first project. */
const LOOKED_UP_WITHIN_MS = 500;
/** Of the 3000 characters that a form can carry. */
const ATTACHMENTS_MAX = 2_000;

/** *Ask Docs Agent* in a message's menu: the form, with the message and its link. */
export function messageShortcut(deps: ListenerDeps) {
  return async ({ shortcut, ack, respond }: Args): Promise<void> => {
    await ack();
    const { channel, message, response_url, trigger_id: triggerId } = shortcut;
    const said = saidIn(message);
    const [link, names] = await Promise.all([
      inTime(deps, LOOKED_UP_WITHIN_MS, deps.poster.permalinkIfAny(channel.id, message.ts), null),
      inTime(deps, LOOKED_UP_WITHIN_MS, deps.names.of(said), new Map<string, string>()),
    ]);
    const attached = fitAttachments(attachmentsIn(message), ATTACHMENTS_MAX);
    const responseUrl = response_url || null;
    const target = { channelId: channel.id, responseUrl, attached, from: 'shortcut' } as const;
    const { promptMaxLength } = deps.newContext().policy;
    const quoted = promptAbout(readableText(said, names), link, promptMaxLength);
    if (await openCompose(deps, { triggerId, userId: shortcut.user.id }, target, quoted)) return;
    await answerBeside(deps, { body: shortcut, respond }, noFormView);
  };
}

/** False if Slack did not open the form, or not in time. */
async function openCompose(
  deps: ListenerDeps,
  { triggerId, userId }: { readonly triggerId: string; readonly userId: string },
  target: ComposeTarget,
  { prompt, isCut }: Pick<Compose, 'prompt' | 'isCut'> = { prompt: '', isCut: false },
): Promise<boolean> {
  const [first] = deps.projects;
  const looked = projectOf(deps, target.channelId).catch((error: unknown) => {
    deps.log.warn('project_not_read', { error });
    return first;
  });
  const [project, recipes] = await Promise.all([
    inTime(deps, LOOKED_UP_WITHIN_MS, looked, first),
    recipesFor(deps, userId),
  ]);
  const view = composeView({
    target,
    prompt,
    isCut,
    recipes,
    projects: deps.projects,
    project,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  });
  return (await openForm(deps, triggerId, view)) !== null;
}
