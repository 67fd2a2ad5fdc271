import { isDeepStrictEqual } from 'node:util';
import type { ChannelSettings } from '../../../../jobs/channel-settings.ts';
import { defaultProject, settingsOf } from '../../../../jobs/policy.ts';
import type { SettingsData } from '../../../protocol/form-data.ts';
import type { Meanwhile, Settings } from '../../../views/forms/settings.ts';
import type { ListenerDeps } from '../deps.ts';

export interface Saved {
  readonly settings: Settings;
  readonly meanwhile: Meanwhile | null;
}

/** The settings that hold in a channel, and when they were saved (null: never). */
export async function currentSettings(
  deps: ListenerDeps,
  channelId: string,
): Promise<{ readonly settings: Settings; readonly changedAtMs: number | null }> {
  const saved = await deps.store.transaction((tx) => tx.channelSettings.get(deps.teamId, channelId));
  return {
    settings: holding(deps, channelId, saved?.settings ?? null),
    changedAtMs: saved?.changedAtMs ?? null,
  };
}

/**
 * Saves what was filled in. If somebody else saved since the form was made, that is replaced, and returned. Saved
 * once, however often it is tried with the same key.
 */
export async function saveSettings(
  deps: ListenerDeps,
  by: { readonly userId: string; readonly key: string },
  { channelId, changedAtMs }: SettingsData,
  settings: Settings,
): Promise<Saved> {
  const own = ownSettings(settings, holding(deps, channelId, null));
  return deps.store.transaction(async (tx) => {
    const { nowMs } = deps.newContext();
    if (!(await tx.inboundRequests.remember([by.key], nowMs))) return { settings, meanwhile: null };
    const saved = { settings: own, changedBy: by.userId, changedAtMs: nowMs };
    const before = await tx.channelSettings.replace(deps.teamId, channelId, saved);
    if (before === null || before.changedAtMs === changedAtMs) return { settings, meanwhile: null };
    const theirs = holding(deps, channelId, before.settings);
    return {
      settings,
      meanwhile: { userId: before.changedBy, atMs: before.changedAtMs, settings: theirs },
    };
  });
}

function holding(deps: ListenerDeps, channelId: string, saved: ChannelSettings | null): Settings {
  const { policy, rulesOf } = deps.newContext();
  const set = settingsOf(rulesOf(deps.teamId), channelId, saved);
  return {
    project: defaultProject(deps.projects, set),
    noticeChannels: set.noticeChannels ?? [],
    followUpMode: set.followUpMode ?? policy.followUpMode,
    followUpWindowMs: set.followUpWindowMs ?? policy.followUpWindowMs,
  };
}

/** What is as it would be anyway is left open, so that it goes with the configuration. */
function ownSettings(chosen: Settings, anyway: Settings): ChannelSettings {
  const own = <T>(value: T, otherwise: T) => (isDeepStrictEqual(value, otherwise) ? undefined : value);
  return {
    projectName: own(chosen.project.name, anyway.project.name),
    noticeChannels: own(chosen.noticeChannels, anyway.noticeChannels),
    followUpMode: own(chosen.followUpMode, anyway.followUpMode),
    followUpWindowMs: own(chosen.followUpWindowMs, anyway.followUpWindowMs),
  };
}
