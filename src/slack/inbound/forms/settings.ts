import { isDeepStrictEqual } from 'node:util';
import type { ViewOutput } from '@slack/bolt';
import { z } from 'zod';
import { type ChannelSettings, channelSettingsOf, defaultProject } from '#jobs/policy.ts';
import type { Projects } from '#jobs/requests/command.ts';
import { channel, decode, formIds, settingsData } from '../../protocol/ids.ts';
import {
  type EffectiveChannelSettings,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  settingsForm,
  settingsSavedView,
} from '../../views/form.ts';
import { notReadView } from '../../views/private-answers.ts';
import { requireAdmin } from '../admission.ts';
import { openOrTell, Refused, readInTime } from '../interaction.ts';
import {
  bestEffort,
  type InteractionListener,
  type ListenerDeps,
  type SlashCommand,
  type Submission,
  type Submissions,
} from '../listener.ts';
import { storeRequest } from '../once.ts';

export const settings: InteractionListener<SlashCommand> = async (deps, command) => {
  const { userId, channelId, responseUrl } = command;
  await requireAdmin(deps, userId, 'settings');
  const read = () => deps.store.transaction((tx) => tx.channelSettings.get(deps.teamId, channelId));
  const saved = await readInTime(deps, read);
  if (saved !== null && 'blocks' in saved) return saved;
  const current = effectiveSettings(deps, channelId, saved);
  const view = settingsForm({ channelId, responseUrl }, current, deps.projects);
  return openOrTell(deps, command, view, notReadView);
};

export const settingsSubmissions = {
  settings: async (deps, form) => {
    const { userId } = form;
    const data = decode(settingsData, form.view.private_metadata);
    if (data === null) return notReadView;
    const { channelId, responseUrl } = data;
    await requireAdmin(deps, userId, 'settings');
    const chosen = chosenSettings(deps.projects, effectiveSettings(deps, channelId, null), form.view);
    await storeRequest(deps, () => saveSettings(deps, form, channelId, chosen));
    await form.ack();
    await bestEffort(deps, deps.poster.respondPrivately(userId, responseUrl, settingsSavedView(channelId)));
    return null;
  },
} satisfies Submissions;

function saveSettings(
  { store, teamId, newContext }: ListenerDeps,
  { userId, keys }: Submission,
  channelId: string,
  settings: ChannelSettings,
) {
  return store.transaction(async (tx) => {
    const { nowMs, newId } = newContext();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return;
    await tx.channelSettings.replace(teamId, channelId, settings);
    const change = { action: 'setting', source: 'settings', jobId: null, outcome: 'saved' } as const;
    await tx.audit.record({ atMs: nowMs, teamId, userId, ...change }, newId());
  });
}

function effectiveSettings(
  deps: ListenerDeps,
  channelId: string,
  saved: ChannelSettings | null,
): EffectiveChannelSettings {
  const { policy, rulesOf } = deps.newContext();
  const set = channelSettingsOf(rulesOf(deps.teamId), channelId, saved);
  return {
    project: defaultProject(deps.projects, set),
    noticeChannels: set.noticeChannels ?? [],
    followUpMode: set.followUpMode ?? policy.followUpMode,
    followUpWindowMs: set.followUpWindowMs ?? policy.followUpWindowMs,
  };
}

/** As the configuration file allows. */
const WINDOW_MAX_MS = 600_000;

const choices = z.object({
  // With one project, the form has no menu for it.
  project: z.string().optional(),
  followUpMode: z.enum(['every_reply', 'mentions']),
  followUpWindow: z.coerce.number().int().min(0).max(WINDOW_MAX_MS),
  noticeChannels: z.array(channel).max(NOTICE_CHANNELS_MAX),
});

/** A value equal to the configuration's is not stored, so it follows the configuration. */
export function chosenSettings(
  projects: Projects,
  configured: EffectiveChannelSettings,
  { state }: ViewOutput,
): ChannelSettings {
  const at = (id: string) => state.values[id]?.[id];
  const picked = (id: string) => at(id)?.selected_option?.value;
  const { data, error } = choices.safeParse({
    project: picked(formIds.project),
    followUpMode: picked(formIds.followUpMode),
    followUpWindow: picked(formIds.followUpWindow),
    noticeChannels: at(formIds.noticeChannels)?.selected_conversations ?? [],
  });
  if (data === undefined) {
    const name = error.issues[0]?.path[0] as keyof z.infer<typeof choices>;
    throw new Refused(notAChoiceView, formIds[name]);
  }
  const { project: id = configured.project.id, followUpMode, followUpWindow, noticeChannels } = data;
  const project = projects.find((one) => one.id === id);
  if (project === undefined) throw new Refused(notAChoiceView, formIds.project);
  const own = <T>(value: T, otherwise: T) => (isDeepStrictEqual(value, otherwise) ? undefined : value);
  return {
    projectName: own(project.name, configured.project.name),
    noticeChannels: own([...new Set(noticeChannels)], configured.noticeChannels),
    followUpMode: own(followUpMode, configured.followUpMode),
    followUpWindowMs: own(followUpWindow, configured.followUpWindowMs),
  };
}
