import { isDeepStrictEqual } from 'node:util';
import type { ViewOutput } from '@slack/bolt';
import { type ChannelSettings, channelSettingsOf, defaultProject } from '#jobs/policy.ts';
import { decode, formIds, type SettingsFormData, settingsData } from '../../protocol/ids.ts';
import {
  type EffectiveChannelSettings,
  isMode,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  plainModal,
  settingsChannelForm,
  settingsForm,
  settingsSavedView,
  tooManyNoticesView,
  windowsMs,
} from '../../views/form.ts';
import { noChannelView, notReadView } from '../../views/private-answers.ts';
import { requireAdmin } from '../admission.ts';
import { inTime, openOrTell, Refused, refusedIn } from '../interaction.ts';
import {
  bestEffort,
  type InteractionListener,
  type ListenerDeps,
  type Presses,
  type SlashCommand,
  type Submission,
  type Submissions,
} from '../listener.ts';
import { storeRequest } from '../once.ts';

export const settings: InteractionListener<SlashCommand> = async (deps, command) => {
  await requireAdmin(deps, command.userId, 'settings');
  const view = await formOf(deps, command.channelId, command.responseUrl);
  return openOrTell(deps, command, view, notReadView);
};

export const settingsPresses = {
  settings: async (deps, press) => {
    await press.ack();
    const view = await requireAdmin(deps, press.userId, 'settings').then(settingsChannelForm, (error) =>
      plainModal('Settings', refusedIn(error).answer),
    );
    return openOrTell(deps, press, view, notReadView);
  },
} satisfies Presses;

export const settingsSubmissions = {
  settingsChannel: async (deps, form) => {
    const { channelId } = form.values;
    if (!channelId) return noChannelView;
    await requireAdmin(deps, form.userId, 'settings');
    return form.update(await formOf(deps, channelId, null));
  },

  settings: async (deps, form) => {
    const { userId } = form;
    const data = decode(settingsData, form.view.private_metadata);
    if (data === null) return notReadView;
    await requireAdmin(deps, userId, 'settings');
    const chosen = chosenSettings(deps, data, form.view);
    await storeRequest(deps, () => saveSettings(deps, form, data.channelId, chosen));
    const confirmation = settingsSavedView(data.channelId);
    if (data.responseUrl === null) return form.update(plainModal('Settings', confirmation));
    await form.ack();
    await bestEffort(deps, deps.poster.respondPrivately(userId, data.responseUrl, confirmation));
    return null;
  },
} satisfies Submissions;

async function formOf(deps: ListenerDeps, channelId: string, responseUrl: string | null) {
  const notRead = new Refused(notReadView);
  try {
    const reading = deps.store.transaction((tx) => tx.channelSettings.get(deps.teamId, channelId));
    const saved = await inTime<Awaited<typeof reading> | Refused>(deps, 'settings', reading, notRead);
    if (saved instanceof Refused) throw saved;
    const current = effectiveSettings(deps, channelId, saved);
    const { project, ...others } = current;
    const held = { projectId: project.id, ...others };
    return settingsForm({ channelId, responseUrl, held }, current, deps.projects);
  } catch (error) {
    if (error !== notRead) deps.log.error('settings_not_read', { error });
    throw notRead;
  }
}

async function saveSettings(
  deps: ListenerDeps,
  { userId, keys }: Submission,
  channelId: string,
  settings: EffectiveChannelSettings,
) {
  const { teamId } = deps;
  const anyway = effectiveSettings(deps, channelId, null);
  // A value equal to the configuration's is not stored, so it follows the configuration.
  const own = <T>(value: T, otherwise: T) => (isDeepStrictEqual(value, otherwise) ? undefined : value);
  const chosen: ChannelSettings = {
    projectName: own(settings.project.name, anyway.project.name),
    noticeChannels: own(settings.noticeChannels, anyway.noticeChannels),
    followUpMode: own(settings.followUpMode, anyway.followUpMode),
    followUpWindowMs: own(settings.followUpWindowMs, anyway.followUpWindowMs),
  };
  return deps.store.transaction(async (tx) => {
    const { nowMs, newId } = deps.newContext();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return;
    await tx.channelSettings.replace(teamId, channelId, chosen);
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

const CHANNEL_ID = /^[CG][A-Z0-9]+$/;

export function chosenSettings(
  { projects }: Pick<ListenerDeps, 'projects'>,
  { held }: SettingsFormData,
  { state }: ViewOutput,
): EffectiveChannelSettings {
  const at = (id: string) => state.values[id]?.[id];
  const picked = (id: string, otherwise: string) => at(id)?.selected_option?.value ?? otherwise;
  const projectId = picked(formIds.project, held.projectId);
  const project = projects.find(({ id }) => id === projectId);
  if (project === undefined) {
    throw new Refused(notAChoiceView, projects.length > 1 ? formIds.project : formIds.followUpMode);
  }
  const followUpMode = picked(formIds.followUpMode, held.followUpMode);
  if (!isMode(followUpMode)) throw new Refused(notAChoiceView, formIds.followUpMode);
  const followUpWindowMs = Number(picked(formIds.followUpWindow, String(held.followUpWindowMs)));
  if (!windowsMs(held.followUpWindowMs).includes(followUpWindowMs)) {
    throw new Refused(notAChoiceView, formIds.followUpWindow);
  }
  const chosen = at(formIds.noticeChannels)?.selected_conversations ?? held.noticeChannels;
  const noticeChannels = [...new Set(chosen)];
  if (noticeChannels.length > NOTICE_CHANNELS_MAX || !noticeChannels.every((id) => CHANNEL_ID.test(id))) {
    throw new Refused(tooManyNoticesView, formIds.noticeChannels);
  }
  return { project, followUpMode, followUpWindowMs, noticeChannels };
}
