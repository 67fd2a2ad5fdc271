import type { ViewOutput } from '@slack/bolt';
import type { Project } from '../../../jobs/requests/project.ts';
import { formIds } from '../../protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '../../protocol/slack-text.ts';
import { questionForm } from '../../views/forms/question.ts';
import { atField } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalAtField } from '../../views/refusals.ts';
import type { ListenerDeps, SubmitArgs } from '../deps.ts';
import { admissionProblem, linkTo, storeRequest } from '../requests/door.ts';
import { type Outcome, type RawJobRequest, startJob } from '../requests/start-job.ts';

const IN_FORM = { isAnswered: true, mayBeSlip: false } as const;

/** A request made in a form: stored before it is acknowledged. A problem is shown at the field. */
export async function startFromForm(
  deps: ListenerDeps,
  { ack, body, view }: SubmitArgs,
  raw: Pick<
    RawJobRequest,
    | 'channelId'
    | 'origin'
    | 'text'
    | 'context'
    | 'attachments'
    | 'project'
    | 'responseUrl'
    | 'thread'
    | 'requestTs'
  >,
): Promise<void> {
  const { channelId, responseUrl } = raw;
  const requesterId = body.user.id;
  const keys = [`view:${deps.teamId}:${view.id}`];
  const stored = await storeRequest(deps, {
    admit: () => admissionProblem(deps, requesterId, channelId),
    write: () => startJob(deps, { ...raw, keys, teamId: deps.teamId, requesterId, ...IN_FORM }),
  });
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
      return refuseAtField(ack, refusalAtField(refusal), field);
    }
    case 'asked': {
      const { question } = outcome;
      const view = questionForm(question, linkTo(deps, question.sameAs), responseUrl);
      return ack({ response_action: 'update', view });
    }
  }
}

export interface FilledIn {
  /** As Slack would deliver it in a message. */
  readonly text: string;
  /** Null: the form did not ask. */
  readonly project: Project | null;
  /** Name of the chosen recipe; null: none. */
  readonly recipe: string | null;
  readonly channelId: string | null;
  /** The values that are ticked, and all that could be. */
  readonly ticked: readonly string[];
  readonly tickable: readonly string[];
}

export function filledIn({ projects }: ListenerDeps, { state, blocks }: ViewOutput): FilledIn {
  const at = (id: string) => state.values[id]?.[id];
  const projectId = at(formIds.project)?.selected_option?.value;
  return {
    text: escapeMrkdwn(sanitize(at(formIds.prompt)?.value ?? '')).trim(),
    project: projects.find(({ id }) => id === projectId) ?? null,
    recipe: at(formIds.recipe)?.selected_option?.value ?? null,
    channelId: at(formIds.channel)?.selected_conversation ?? null,
    ticked: Object.keys(state.values)
      .filter((id) => id.startsWith(formIds.messages))
      .flatMap((id) => at(id)?.selected_options ?? [])
      .map(({ value }) => value),
    tickable: blocks.flatMap((block) =>
      'element' in block && block.element.type === 'checkboxes'
        ? block.element.options.flatMap(({ value }) => value ?? [])
        : [],
    ),
  };
}
