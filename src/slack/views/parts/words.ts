import type { Job } from '../../../jobs/job.ts';
import { type Mrkdwn, mrkdwn, userMention } from './mrkdwn.ts';
import { type Names, oneLine } from './untrusted.ts';

/** Words used in several places, other than a message's buttons (`buttons.ts`). */
export const labels = {
  askDocsAgent: 'Ask Docs Agent',
  somebody: 'somebody',
  /** An app without a name. */
  someApp: 'an app',
} as const;

export const composeTexts = { startAnother: 'Start another?' } as const;

/** On one line. `nameless`: who has no name. */
export function nameIn(names: Names, userId: string | null, nameless: string = labels.somebody): string {
  return oneLine(names.get(userId ?? '') ?? nameless);
}

const REFUSED_NOTICES: Readonly<Record<string, string>> = {
  not_in_channel: "I'm not in this channel",
  channel_not_found: "I can't see this channel",
  channel_is_shared: 'it is shared with another organisation',
  is_archived: 'it is archived',
  restricted_action: "I'm not allowed to post there",
};

/** Why Slack refuses a post in a channel. @param code Slack's, shown if it is another one */
export function whyRefused(code: string): string {
  return REFUSED_NOTICES[code] ?? oneLine(code);
}

type Asked = Pick<Job, 'requesterId' | 'recipe' | 'origin'>;

/**
 * Who asked for the job: a person or app by name, a recipe, or a workflow. Null if Slack does not give the
 * name.
 */
export function askerOf({ requesterId, recipe, origin }: Asked, names: Names): string | null {
  if (requesterId !== null) return names.get(requesterId) ?? null;
  if (recipe !== undefined) return `recipe ${recipe}`;
  if (origin.kind === 'mention' && origin.app !== undefined) return origin.app.name;
  return origin.kind === 'workflow' ? 'a workflow' : null;
}

/** The same with a mention of the person, for private messages. */
export function askerMention({ requesterId, recipe }: Omit<Asked, 'origin'>): Mrkdwn {
  if (requesterId !== null) return userMention(requesterId);
  return mrkdwn`${recipe === undefined ? labels.somebody : oneLine(`recipe ${recipe}`)}`;
}
