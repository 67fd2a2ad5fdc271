import { defaultProject, settingsOf } from '../../../jobs/policy.ts';
import type { Project } from '../../../jobs/project.ts';
import type { ListenerDeps } from './deps.ts';

/** The project of requests in the channel that name none. */
export async function projectOf(
  { projects, store, newContext, teamId }: ListenerDeps,
  channelId: string | null,
): Promise<Project> {
  const [first, ...others] = projects;
  if (channelId === null || others.length === 0) return first;
  const saved = await store.transaction((tx) => tx.channelSettings.get(teamId, channelId));
  const rules = newContext().rulesOf(teamId);
  return defaultProject(projects, settingsOf(rules, channelId, saved?.settings ?? null));
}
