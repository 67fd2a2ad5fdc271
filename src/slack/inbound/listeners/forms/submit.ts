import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { formIds } from '../../../protocol/ids.ts';
import { askedBeforeForm } from '../../../views/forms/asked-before.ts';
import { atField } from '../../../views/parts/form.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { refusalView } from '../../../views/refusals.ts';
import { admissionProblem } from '../admission.ts';
import type { ListenerDeps } from '../deps.ts';
import { linkTo } from '../link-to.ts';
import { type Outcome, startJob, type Wish } from '../start-job.ts';
import { storeGesture } from '../store-gesture.ts';

export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;

/** A job that is asked for in a form: stored, and only then acknowledged; what is wrong is said at the field. */
export async function startFromForm(
  deps: ListenerDeps,
  { ack, body, view }: SubmitArgs,
  wish: Pick<Wish, 'channelId' | 'text' | 'context' | 'attached' | 'project' | 'responseUrl' | 'thread'>,
): Promise<void> {
  const { channelId, responseUrl } = wish;
  const requesterId = body.user.id;
  const denial = await admissionProblem(deps, requesterId, channelId);
  if (denial !== null) return refuseAtField(ack, denial);
  const keys = [`view:${deps.teamId}:${view.id}`];
  const stored = await storeGesture(deps, () =>
    startJob(deps, { ...wish, keys, teamId: deps.teamId, requesterId, isAnswered: true }),
  );
  if ('problem' in stored) return refuseAtField(ack, stored.problem);
  await answerForm(deps, ack, stored.result, responseUrl);
}

export function refuseAtField(
  ack: SubmitArgs['ack'],
  problem: SlackMessage,
  field: string = formIds.prompt,
): Promise<void> {
  return ack({ response_action: 'errors', errors: { [field]: atField(problem) } });
}

async function answerForm(
  deps: ListenerDeps,
  ack: SubmitArgs['ack'],
  outcome: Outcome,
  responseUrl: string | null,
): Promise<void> {
  switch (outcome.kind) {
    case 'stored':
      return ack();
    case 'refused': {
      const { refusal } = outcome;
      const field = refusal.kind === 'two_projects' ? formIds.project : formIds.prompt;
      return refuseAtField(ack, refusalView(refusal), field);
    }
    case 'asked_before': {
      const { question } = outcome;
      const view = askedBeforeForm(question, linkTo(deps, question.sameAs), responseUrl);
      return ack({ response_action: 'update', view });
    }
  }
}
