import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { decodeButton } from '../../../protocol/ids.ts';
import { plainModal } from '../../../views/parts/modal.ts';
import { jobModalTitle } from '../../../views/status.ts';
import { jobInFull, NO_CHANNEL } from '../commands/job-in-full.ts';
import { answerBeside, courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';
import { openForm } from '../forms/open-form.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** *Details*: one job of a list, in full; of the home tab, in a modal. */
export function showJob(deps: ListenerDeps) {
  return async ({ ack, action, body, respond }: Args): Promise<void> => {
    await ack();
    const channelId = body.channel?.id || NO_CHANNEL;
    const target = decodeButton(action.value ?? '');
    if (target === null) return;
    const message = await jobInFull(
      deps,
      { teamId: deps.teamId, userId: body.user.id, channelId },
      target.jobId,
    );
    if (channelId !== NO_CHANNEL) {
      await answerBeside(deps, { body, respond }, message);
    } else {
      const view = plainModal(jobModalTitle, message);
      const isOpen = (await openForm(deps, body.trigger_id, view)) !== null;
      if (!isOpen) await courtesy(deps, deps.poster.tell(body.user.id, null, message));
    }
  };
}
