import type { Job } from '../../../jobs/job.ts';
import { type Mrkdwn, mrkdwn, userMention } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';
import { labels } from './words.ts';

const NAME_MAX = 100;

type Asked = Pick<Job, 'requesterId' | 'recipe' | 'origin'>;

/**
 * Who asked for the job: a person or app by name, a recipe, or a workflow. Null if Slack does not give the
 * name.
 */
export function askerOf(
  { requesterId, recipe, origin }: Asked,
  names: ReadonlyMap<string, string>,
): string | null {
  if (requesterId !== null) return names.get(requesterId) ?? null;
  if (recipe !== undefined) return labels.recipe(recipe);
  if (origin.kind === 'mention' && origin.app !== undefined) return origin.app.name;
  return origin.kind === 'workflow' ? labels.workflow : null;
}

/** The same with a mention of the person, for private messages. */
export function askerMention({ requesterId, recipe }: Asked): Mrkdwn {
  if (requesterId !== null) return userMention(requesterId);
  return mrkdwn`${recipe === undefined ? labels.somebody : oneLine(labels.recipe(recipe), NAME_MAX)}`;
}
