import { isDeepStrictEqual } from 'node:util';
import type { ViewOutput } from '@slack/bolt';
import { type ChannelSettings, defaultProject, settingsOf } from '../../../jobs/policy.ts';
import type { SettingsFormData } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import {
  type EffectiveChannelSettings,
  isMode,
  type Meanwhile,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  tooManyNoticesView,
  windowsMs,
} from '../../views/forms/settings.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { ListenerDeps } from '../deps.ts';

export interface Saved {
  readonly settings: EffectiveChannelSettings;
  readonly meanwhile: Meanwhile | null;
}

/** A channel's effective settings, and when they were saved (null: never). */
export async function currentSettings(
  deps: ListenerDeps,
  channelId: string,
): Promise<{ readonly settings: EffectiveChannelSettings; readonly changedAtMs: number | null }> {
  const saved = await deps.store.transaction((tx) => tx.channelSettings.get(deps.teamId, channelId));
  return {
    settings: holding(deps, channelId, saved?.settings ?? null),
    changedAtMs: saved?.changedAtMs ?? null,
  };
}

/** Saves the form once for each key. Returns what another person saved since it was opened. */
export async function saveSettings(
  deps: ListenerDeps,
  by: { readonly userId: string; readonly key: string },
  { channelId, changedAtMs }: SettingsFormData,
  settings: EffectiveChannelSettings,
): Promise<Saved> {
  const own = ownSettings(settings, holding(deps, channelId, null));
  return deps.store.transaction(async (tx) => {
    const { nowMs, newId } = deps.newContext();
    if (!(await tx.inboundRequests.remember([by.key], nowMs))) return { settings, meanwhile: null };
    const saved = { settings: own, changedBy: by.userId, changedAtMs: nowMs };
    const before = await tx.channelSettings.replace(deps.teamId, channelId, saved);
    const change = { action: 'setting', source: 'settings', jobId: null, outcome: 'saved' } as const;
    await tx.audit.record({ atMs: nowMs, teamId: deps.teamId, userId: by.userId, ...change }, newId());
    if (before === null || before.changedAtMs === changedAtMs) return { settings, meanwhile: null };
    const theirs = holding(deps, channelId, before.settings);
    return {
      settings,
      meanwhile: { userId: before.changedBy, atMs: before.changedAtMs, settings: theirs },
    };
  });
}

function holding(
  deps: ListenerDeps,
  channelId: string,
  saved: ChannelSettings | null,
): EffectiveChannelSettings {
  const { policy, rulesOf } = deps.newContext();
  const set = settingsOf(rulesOf(deps.teamId), channelId, saved);
  return {
    project: defaultProject(deps.projects, set),
    noticeChannels: set.noticeChannels ?? [],
    followUpMode: set.followUpMode ?? policy.followUpMode,
    followUpWindowMs: set.followUpWindowMs ?? policy.followUpWindowMs,
  };
}

/** A value equal to the configuration's stays open, so that it follows the configuration. */
function ownSettings(chosen: EffectiveChannelSettings, anyway: EffectiveChannelSettings): ChannelSettings {
  const own = <T>(value: T, otherwise: T) => (isDeepStrictEqual(value, otherwise) ? undefined : value);
  return {
    projectName: own(chosen.project.name, anyway.project.name),
    noticeChannels: own(chosen.noticeChannels, anyway.noticeChannels),
    followUpMode: own(chosen.followUpMode, anyway.followUpMode),
    followUpWindowMs: own(chosen.followUpWindowMs, anyway.followUpWindowMs),
  };
}

const CHANNEL_ID = /^[CG][A-Z0-9]+$/;

type Chosen =
  | { readonly settings: EffectiveChannelSettings }
  /** Shown at the field. */
  | { readonly problem: SlackMessage; readonly field: string };

/** What an administrator filled in, or a problem: the form may be older than the configuration. */
export function chosenSettings(
  { projects }: Pick<ListenerDeps, 'projects'>,
  { held }: SettingsFormData,
  { state }: ViewOutput,
): Chosen {
  const at = (id: string) => state.values[id]?.[id];
  const projectId = at(formIds.project)?.selected_option?.value ?? held.projectId;
  const project = projects.find(({ id }) => id === projectId);
  if (project === undefined) {
    const field = projects.length > 1 ? formIds.project : formIds.followUpMode;
    return { problem: notAChoiceView(), field };
  }
  const followUpMode = at(formIds.followUpMode)?.selected_option?.value ?? held.followUpMode;
  if (!isMode(followUpMode)) return { problem: notAChoiceView(), field: formIds.followUpMode };
  const window = at(formIds.followUpWindow)?.selected_option?.value;
  const followUpWindowMs = window === undefined ? held.followUpWindowMs : Number(window);
  if (!windowsMs(held.followUpWindowMs).includes(followUpWindowMs)) {
    return { problem: notAChoiceView(), field: formIds.followUpWindow };
  }
  const chosen = at(formIds.noticeChannels)?.selected_conversations ?? held.noticeChannels;
  const noticeChannels = [...new Set(chosen)];
  if (noticeChannels.length > NOTICE_CHANNELS_MAX || !noticeChannels.every((id) => CHANNEL_ID.test(id))) {
    return { problem: tooManyNoticesView(), field: formIds.noticeChannels };
  }
  return { settings: { project, followUpMode, followUpWindowMs, noticeChannels } };
}
