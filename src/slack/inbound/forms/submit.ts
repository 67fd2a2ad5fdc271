import type { ViewOutput } from '@slack/bolt';
import { formIds } from '../../protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '../../protocol/slack-text.ts';
import { questionForm } from '../../views/forms/question.ts';
import { refusalAtField } from '../../views/refusals.ts';
import type { ListenerDeps, Submission } from '../listener.ts';
import { linkTo } from '../requests/door.ts';
import { type RawRequest, startFrom } from '../requests/start-job.ts';

/** A request made in a form: stored before it is acknowledged. A problem is shown at the field. */
export async function startFromForm(
  deps: ListenerDeps,
  form: Submission,
  request: Parameters<typeof startFrom>[2] & Pick<RawRequest, 'responseUrl'>,
): Promise<void> {
  const stored = await startFrom(deps, form, request);
  if ('problem' in stored) return form.tell(stored.problem);
  const { result: outcome } = stored;
  switch (outcome.kind) {
    case 'stored':
      return form.ack();
    case 'refused': {
      const { refusal } = outcome;
      const field = refusal.kind === 'two_projects' ? formIds.project : formIds.prompt;
      return form.tell(refusalAtField(refusal), field);
    }
    case 'asked': {
      const { question } = outcome;
      return form.update(questionForm(question, linkTo(deps, question.sameAs), request.responseUrl));
    }
  }
}

/** What a form asked for. Null: it did not ask, or nothing is chosen. */
export function filledIn({ projects }: ListenerDeps, { state, blocks }: ViewOutput) {
  const at = (id: string) => state.values[id]?.[id];
  const projectId = at(formIds.project)?.selected_option?.value;
  return {
    /** As Slack would deliver it in a message. */
    text: escapeMrkdwn(sanitize(at(formIds.prompt)?.value ?? '')).trim(),
    project: projects.find(({ id }) => id === projectId) ?? null,
    recipe: at(formIds.recipe)?.selected_option?.value ?? null,
    channelId: at(formIds.channel)?.selected_conversation ?? null,
    /** The values that are ticked, and all that could be. */
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
