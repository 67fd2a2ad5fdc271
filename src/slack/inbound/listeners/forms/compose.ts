import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { nothingAttached } from '../../../../jobs/attached.ts';
import { decodePlace } from '../../../protocol/form-data.ts';
import { formIds } from '../../../protocol/ids.ts';
import { noFormView } from '../../../views/forms/compose.ts';
import { noChannelView } from '../../../views/refusals.ts';
import { answer, type CommandArgs } from '../commands/answer.ts';
import { courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import { filledIn } from './filled-in.ts';
import { openCompose } from './open-form.ts';
import { refuseAtField, type SubmitArgs, startFromForm } from './submit.ts';

type PressArgs = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

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
    await courtesy(deps, deps.poster.tell(body.user.id, null, noFormView()));
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
