import type { ViewOutput } from '@slack/bolt';
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
import {
  bestEffort,
  type Command,
  type Interaction,
  type ListenerDeps,
  type Press,
  type Shortcut,
  type Submission,
} from '../listener.ts';
import { recipeChosen, recipesFor } from '../recipes/run.ts';
import { inTime, openForm } from '../requests/door.ts';
import { projectOf } from '../requests/start-job.ts';
import { filledIn, startFromForm } from './submit.ts';

/** `/docs-agent` alone opens the form. */
export async function compose(deps: ListenerDeps, command: Command): Promise<void> {
  const { channelId, responseUrl } = command;
  const isOpen = await openCompose(deps, command, { channelId, responseUrl, from: 'form' });
  await (isOpen ? command.ack() : command.tell(noFormView));
}

/** *Start a job*: the home tab's form asks where; below a message, it starts there. */
export async function composeFromHome(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  const { userId, channelId, responseUrl } = press;
  const from = channelId === null ? 'home' : 'form';
  if (await openCompose(deps, press, { channelId, responseUrl, from })) return;
  await bestEffort(deps, deps.poster.respondPrivately(userId, null, noFormView));
}

export async function composeSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const target = decodeComposeTarget(form.view.private_metadata);
  const { text, project, channelId: chosen, recipe } = filledIn(deps, form.view);
  const responseUrl = target?.responseUrl ?? null;
  if (recipe !== null) {
    return isBlank(text) || isAsOffered(text, form.view)
      ? recipeChosen(deps, form, { name: recipe, responseUrl })
      : form.tell(notBothView, formIds.recipe);
  }
  const channelId = target?.channelId ?? chosen;
  if (channelId === null) return form.tell(noChannelView, formIds.channel);
  const attachments = target?.attached ?? noAttachments;
  const origin = { kind: target?.from ?? 'form' } as const;
  await startFromForm(deps, form, { channelId, origin, text, attachments, project, responseUrl });
}

/** The text is still the one that the form offered. Slack may return it escaped. */
function isAsOffered(text: string, { blocks }: ViewOutput): boolean {
  const initial = blocks.map((block) =>
    block.block_id === formIds.prompt && 'element' in block && 'initial_value' in block.element
      ? block.element.initial_value
      : '',
  );
  const offered = sanitize(initial.join('')).trim();
  return text === escapeMrkdwn(offered) || text === offered;
}

/** Slack waits 3 seconds for a form: late look-ups leave ids, no link, and the first project. */
const LOOKED_UP_WITHIN_MS = 500;
/** Of the 3000 characters that a form can carry. */
const ATTACHMENTS_MAX = 2_000;

/** *Ask Docs Agent* in a message's menu: the form, with the message and its link. */
export async function messageShortcut(deps: ListenerDeps, shortcut: Shortcut): Promise<void> {
  await shortcut.ack();
  const { channelId, message, responseUrl } = shortcut;
  const said = saidIn(message);
  const [link, names] = await Promise.all([
    inTime(deps, LOOKED_UP_WITHIN_MS, deps.poster.permalinkIfAny(channelId, message.ts), null),
    inTime(deps, LOOKED_UP_WITHIN_MS, deps.names.of(said), new Map<string, string>()),
  ]);
  const attached = fitAttachments(attachmentsIn(message), ATTACHMENTS_MAX);
  const target = { channelId, responseUrl, attached, from: 'shortcut' } as const;
  const { promptMaxLength } = deps.newContext().policy;
  const quoted = promptAbout(readableText(said, names), link, promptMaxLength);
  if (!(await openCompose(deps, shortcut, target, quoted))) await shortcut.tell(noFormView);
}

/** False if Slack did not open the form, or not in time. */
async function openCompose(
  deps: ListenerDeps,
  { triggerId, userId }: Interaction,
  target: ComposeTarget,
  quoted: Pick<Compose, 'prompt' | 'isCut'> = { prompt: '', isCut: false },
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
    ...quoted,
    target,
    recipes,
    projects: deps.projects,
    project,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  });
  return (await openForm(deps, triggerId, view)) !== null;
}
