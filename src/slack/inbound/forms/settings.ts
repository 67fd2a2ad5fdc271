import { isDeepStrictEqual } from 'node:util';
import type { ViewOutput } from '@slack/bolt';
import { type ChannelSettings, defaultProject, settingsOf } from '../../../jobs/policy.ts';
import { decodeSettings, type SettingsFormData } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import {
  type EffectiveChannelSettings,
  isMode,
  type Meanwhile,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  settingsChannelForm,
  settingsForm,
  settingsSavedView,
  tooManyNoticesView,
  windowsMs,
} from '../../views/forms/settings.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { noChannelView, notReadView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { adminProblem, answer, bestEffort, inTime, openForm, storeRequest } from '../requests/door.ts';
import { refuseAtField } from './submit.ts';

const READ_WITHIN_MS = 1_000;

export async function settings(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const { channel_id: channelId, user_id: userId, trigger_id, response_url } = args.command;
  const problem = await adminProblem(deps, userId, 'settings');
  if (problem !== null) return answer(args, problem);
  const view = await formOf(deps, channelId, response_url || null);
  const isOpen = view !== null && (await openForm(deps, trigger_id, view)) !== null;
  await (isOpen ? args.ack() : answer(args, notReadView));
}

/** *Settings* on the home tab: asks first for the channel. */
export function settingsFromHome(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    const problem = await adminProblem(deps, body.user.id, 'settings');
    const view = problem === null ? settingsChannelForm() : plainModal('Settings', problem);
    if ((await openForm(deps, body.trigger_id, view)) === null) {
      await bestEffort(deps, deps.poster.respondPrivately(body.user.id, null, notReadView));
    }
  };
}

export function settingsChannelChosen(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const { channel } = formIds;
    const channelId = view.state.values[channel]?.[channel]?.selected_conversation;
    if (!channelId) return refuseAtField(ack, noChannelView, channel);
    const problem = await adminProblem(deps, body.user.id, 'settings');
    if (problem !== null) return refuseAtField(ack, problem, channel);
    const form = await formOf(deps, channelId, null);
    if (form === null) return refuseAtField(ack, notReadView, channel);
    await ack({ response_action: 'update', view: form });
  };
}

/** Saved before it is acknowledged. */
export function settingsSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const refuse = (problem: SlackMessage, field: string = formIds.followUpMode) =>
      refuseAtField(ack, problem, field);
    const data = decodeSettings(view.private_metadata);
    if (data === null) return refuse(notReadView);
    const problem = await adminProblem(deps, body.user.id, 'settings');
    if (problem !== null) return refuse(problem);
    const chosen = chosenSettings(deps, data, view);
    if ('problem' in chosen) return refuse(chosen.problem, chosen.field);
    const by = { userId: body.user.id, key: `view:${deps.teamId}:${view.id}` };
    const stored = await storeRequest(deps, {
      write: () => saveSettings(deps, by, data, chosen.settings),
    });
    if ('problem' in stored) return refuse(stored.problem);
    const { settings: saved, meanwhile } = stored.result;
    const confirmation = settingsSavedView(data.channelId, saved, meanwhile);
    if (data.responseUrl === null) {
      return ack({ response_action: 'update', view: plainModal('Settings', confirmation) });
    }
    await ack();
    await bestEffort(deps, deps.poster.respondPrivately(body.user.id, data.responseUrl, confirmation));
  };
}

/** Null if the settings could not be read. */
async function formOf(
  deps: ListenerDeps,
  channelId: string,
  responseUrl: string | null,
): Promise<ReturnType<typeof settingsForm> | null> {
  try {
    const found = await inTime(deps, READ_WITHIN_MS, currentSettings(deps, channelId), null);
    if (found === null) return null;
    const { settings: current, changedAtMs } = found;
    const { project, ...others } = current;
    const held = { projectId: project.id, ...others, noticeChannels: [...current.noticeChannels] };
    const data: SettingsFormData = { channelId, responseUrl, changedAtMs, held };
    return settingsForm(data, current, deps.projects);
  } catch (error) {
    deps.log.error('settings_not_read', { error });
    return null;
  }
}

export interface Saved {
  readonly settings: EffectiveChannelSettings;
  readonly meanwhile: Meanwhile | null;
}

/** A channel's effective settings, and when they were saved (null: never). */
async function currentSettings(
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
async function saveSettings(
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
    return { problem: notAChoiceView, field };
  }
  const followUpMode = at(formIds.followUpMode)?.selected_option?.value ?? held.followUpMode;
  if (!isMode(followUpMode)) return { problem: notAChoiceView, field: formIds.followUpMode };
  const window = at(formIds.followUpWindow)?.selected_option?.value;
  const followUpWindowMs = window === undefined ? held.followUpWindowMs : Number(window);
  if (!windowsMs(held.followUpWindowMs).includes(followUpWindowMs)) {
    return { problem: notAChoiceView, field: formIds.followUpWindow };
  }
  const chosen = at(formIds.noticeChannels)?.selected_conversations ?? held.noticeChannels;
  const noticeChannels = [...new Set(chosen)];
  if (noticeChannels.length > NOTICE_CHANNELS_MAX || !noticeChannels.every((id) => CHANNEL_ID.test(id))) {
    return { problem: tooManyNoticesView, field: formIds.noticeChannels };
  }
  return { settings: { project, followUpMode, followUpWindowMs, noticeChannels } };
}
