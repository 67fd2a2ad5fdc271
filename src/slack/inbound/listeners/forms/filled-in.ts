import type { ViewOutput } from '@slack/bolt';
import type { Project } from '../../../../jobs/project.ts';
import { escapeMrkdwn } from '../../../protocol/escape.ts';
import { formIds } from '../../../protocol/ids.ts';
import { sanitize } from '../../../protocol/sanitize.ts';
import type { ListenerDeps } from '../deps.ts';

/** What a person filled in. */
export interface FilledIn {
  /** As Slack would deliver it in a message. */
  readonly text: string;
  /** Null if it was not asked for. */
  readonly project: Project | null;
  readonly channelId: string | null;
  /** The values of all that is ticked. */
  readonly ticked: readonly string[];
}

export function filledIn({ projects }: ListenerDeps, { state }: ViewOutput): FilledIn {
  const at = (id: string) => state.values[id]?.[id];
  const projectId = at(formIds.project)?.selected_option?.value;
  return {
    text: escapeMrkdwn(sanitize(at(formIds.prompt)?.value ?? '')).trim(),
    project: projects.find(({ id }) => id === projectId) ?? null,
    channelId: at(formIds.channel)?.selected_conversation ?? null,
    ticked: Object.keys(state.values)
      .filter((id) => id.startsWith(formIds.messages))
      .flatMap((id) => at(id)?.selected_options ?? [])
      .map(({ value }) => value),
  };
}
