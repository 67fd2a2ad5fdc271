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
import { bestEffort, type Command, type ListenerDeps, type Press, type Submission } from '../listener.ts';
import { adminProblem, inTime, openForm, storeRequest } from '../requests/door.ts';
import { filledIn } from './submit.ts';

const READ_WITHIN_MS = 1_000;

export async function settings(deps: ListenerDeps, command: Command): Promise<void> {
  const { userId, channelId, triggerId, responseUrl } = command;
  const problem = await adminProblem(deps, userId, 'settings');
  if (problem !== null) return command.tell(problem);
  const view = await formOf(deps, channelId, responseUrl);
  const isOpen = view !== null && (await openForm(deps, triggerId, view)) !== null;
  await (isOpen ? command.ack() : command.tell(notReadView));
}

/** *Settings* on the home tab: asks first for the channel. */
export async function settingsFromHome(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  const problem = await adminProblem(deps, press.userId, 'settings');
  const view = problem === null ? settingsChannelForm() : plainModal('Settings', problem);
  if ((await openForm(deps, press.triggerId, view)) === null) {
    await bestEffort(deps, deps.poster.respondPrivately(press.userId, null, notReadView));
  }
}

export async function settingsChannelChosen(deps: ListenerDeps, form: Submission): Promise<void> {
  const { channel } = formIds;
  const { channelId } = filledIn(deps, form.view);
  if (!channelId) return form.tell(noChannelView, channel);
  const problem = await adminProblem(deps, form.userId, 'settings');
  if (problem !== null) return form.tell(problem, channel);
  const view = await formOf(deps, channelId, null);
  await (view === null ? form.tell(notReadView, channel) : form.update(view));
}

/** Saved before it is acknowledged. */
export async function settingsSubmitted(deps: ListenerDeps, form: Submission): Promise<void> {
  const { userId } = form;
  const refuse = (problem: SlackMessage, field: string = formIds.followUpMode) => form.tell(problem, field);
  const data = decodeSettings(form.view.private_metadata);
  if (data === null) return refuse(notReadView);
  const problem = await adminProblem(deps, userId, 'settings');
  if (problem !== null) return refuse(problem);
  const chosen = chosenSettings(deps, data, form.view);
  if ('problem' in chosen) return refuse(chosen.problem, chosen.field);
  const { settings: saved } = chosen;
  const stored = await storeRequest(deps, () => saveSettings(deps, form, data, saved));
  if ('problem' in stored) return refuse(stored.problem);
  const confirmation = settingsSavedView(data.channelId, saved, stored.result);
  if (data.responseUrl === null) return form.update(plainModal('Settings', confirmation));
  await form.ack();
  await bestEffort(deps, deps.poster.respondPrivately(userId, data.responseUrl, confirmation));
}

/** Null if the settings could not be read. */
async function formOf(
  deps: ListenerDeps,
  channelId: string,
  responseUrl: string | null,
): Promise<ReturnType<typeof settingsForm> | null> {
  try {
    const reading = deps.store.transaction((tx) => tx.channelSettings.get(deps.teamId, channelId));
    const saved = await inTime<Awaited<typeof reading> | 'late'>(deps, READ_WITHIN_MS, reading, 'late');
    if (saved === 'late') return null;
    const current = holding(deps, channelId, saved?.settings ?? null);
    const { project, ...others } = current;
    const held = { projectId: project.id, ...others, noticeChannels: [...current.noticeChannels] };
    const data = { channelId, responseUrl, changedAtMs: saved?.changedAtMs ?? null, held };
    return settingsForm(data, current, deps.projects);
  } catch (error) {
    deps.log.error('settings_not_read', { error });
    return null;
  }
}

/** Saves the form, once. Returns what another person saved since it was opened. */
async function saveSettings(
  deps: ListenerDeps,
  { userId, keys }: Submission,
  { channelId, changedAtMs }: SettingsFormData,
  settings: EffectiveChannelSettings,
): Promise<Meanwhile | null> {
  const { teamId } = deps;
  const anyway = holding(deps, channelId, null);
  // A value equal to the configuration's stays open, so that it follows the configuration.
  const own = <T>(value: T, otherwise: T) => (isDeepStrictEqual(value, otherwise) ? undefined : value);
  const chosen: ChannelSettings = {
    projectName: own(settings.project.name, anyway.project.name),
    noticeChannels: own(settings.noticeChannels, anyway.noticeChannels),
    followUpMode: own(settings.followUpMode, anyway.followUpMode),
    followUpWindowMs: own(settings.followUpWindowMs, anyway.followUpWindowMs),
  };
  return deps.store.transaction(async (tx) => {
    const { nowMs, newId } = deps.newContext();
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return null;
    const saved = { settings: chosen, changedBy: userId, changedAtMs: nowMs };
    const before = await tx.channelSettings.replace(teamId, channelId, saved);
    const change = { action: 'setting', source: 'settings', jobId: null, outcome: 'saved' } as const;
    await tx.audit.record({ atMs: nowMs, teamId, userId, ...change }, newId());
    if (before === null || before.changedAtMs === changedAtMs) return null;
    const theirs = holding(deps, channelId, before.settings);
    return { userId: before.changedBy, atMs: before.changedAtMs, settings: theirs };
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
