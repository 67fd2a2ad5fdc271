import type { ModalView } from '@slack/types';
import type { Place } from '../../../protocol/form-data.ts';
import { type Compose, composeView } from '../../../views/forms/compose.ts';
import { SlackCallError } from '../../../workspace/web-api/failure.ts';
import { projectOf } from '../default-project.ts';
import type { ListenerDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';

const WITHIN_MS = 2_000;
/** Another project can still be chosen in the form. */
const PROJECT_WITHIN_MS = 500;

/** Opens the form that asks for a job. False if Slack did not, or not in time. */
export async function openCompose(
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
  const project = await inTime(deps, PROJECT_WITHIN_MS, looked, first);
  const view = composeView({
    place,
    ...filledIn,
    projects: deps.projects,
    project,
    promptMaxLength: deps.newContext().policy.promptMaxLength,
  });
  return (await openForm(deps, triggerId, view)) !== null;
}

/** Returns the id of the view; null if Slack did not open it, or not in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  return inTime(deps, WITHIN_MS, opened(deps, triggerId, view), null);
}

async function opened(
  { poster, log }: ListenerDeps,
  triggerId: string,
  view: ModalView,
): Promise<string | null> {
  try {
    return await poster.openModal(triggerId, view);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  }
}
