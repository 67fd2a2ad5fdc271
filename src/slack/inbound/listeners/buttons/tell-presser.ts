import type { BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { newsAbove, plainModal } from '../../../views/parts/modal.ts';
import { jobModalTitle } from '../../../views/status.ts';
import { jobInFull, NO_CHANNEL } from '../commands/job-in-full.ts';
import { answerBeside, courtesy } from '../courtesy.ts';
import type { ListenerDeps } from '../deps.ts';

type Args = SlackActionMiddlewareArgs<BlockButtonAction>;

/** What is shown after a press: to all in place of the message with the button, or to who pressed. */
export interface Answer {
  readonly message: SlackMessage;
  readonly inPlace: boolean;
}

/**
 * Tells who pressed a button of a job what came of it, as far as Slack takes it.
 * @param jobId null if the press was not stored
 */
export async function tellPresser(
  deps: ListenerDeps,
  { body, respond }: Pick<Args, 'body' | 'respond'>,
  answer: Answer | null,
  jobId: string | null,
): Promise<void> {
  if (body.view !== undefined) {
    const { blocks } = jobId === null ? body.view : await jobNow(deps, body.user.id, jobId);
    const modal = plainModal(jobModalTitle, { blocks: newsAbove(blocks, answer?.message ?? null) });
    await courtesy(deps, deps.poster.updateModal(body.view.id, modal));
  } else if (answer !== null) {
    await (answer.inPlace
      ? courtesy(deps, respond({ replace_original: true, ...answer.message }))
      : answerBeside(deps, { body, respond }, answer.message));
  }
}

function jobNow(deps: ListenerDeps, userId: string, jobId: string): Promise<SlackMessage> {
  return jobInFull(deps, { teamId: deps.teamId, userId, channelId: NO_CHANNEL }, jobId);
}
