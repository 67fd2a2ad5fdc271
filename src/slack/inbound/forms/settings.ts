import { decodeSettings, type SettingsFormData } from '../../protocol/form-data.ts';
import { formIds } from '../../protocol/ids.ts';
import { settingsChannelForm, settingsForm, settingsSavedView } from '../../views/forms/settings.ts';
import { plainModal } from '../../views/parts/form.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { noChannelView, notReadView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps, PressArgs, SubmitArgs } from '../deps.ts';
import { adminProblem } from '../requests/admission.ts';
import { inTime, storeRequest } from '../requests/in-time.ts';
import { answer, bestEffort, openForm } from '../requests/private-answers.ts';
import { chosenSettings, currentSettings, saveSettings } from './settings-values.ts';
import { refuseAtField } from './submit.ts';

const READ_WITHIN_MS = 1_000;

/** `/docs-agent settings`: the channel's form. */
export async function settings(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const { channel_id: channelId, user_id: userId, trigger_id, response_url } = args.command;
  const problem = await adminProblem(deps, userId, 'settings');
  if (problem !== null) return answer(args, problem);
  const view = await formOf(deps, channelId, response_url || null);
  const isOpen = view !== null && (await openForm(deps, trigger_id, view)) !== null;
  await (isOpen ? args.ack() : answer(args, notReadView()));
}

/** *Settings* on the home tab: asks first for the channel. */
export function settingsFromHome(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    const problem = await adminProblem(deps, body.user.id, 'settings');
    const view = problem === null ? settingsChannelForm() : plainModal('Settings', problem);
    if ((await openForm(deps, body.trigger_id, view)) === null) {
      await bestEffort(deps, deps.poster.respondPrivately(body.user.id, null, notReadView()));
    }
  };
}

export function settingsChannelChosen(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const { channel } = formIds;
    const channelId = view.state.values[channel]?.[channel]?.selected_conversation;
    if (!channelId) return refuseAtField(ack, noChannelView(), channel);
    const problem = await adminProblem(deps, body.user.id, 'settings');
    if (problem !== null) return refuseAtField(ack, problem, channel);
    const form = await formOf(deps, channelId, null);
    if (form === null) return refuseAtField(ack, notReadView(), channel);
    await ack({ response_action: 'update', view: form });
  };
}

/** Saved before it is acknowledged. */
export function settingsSubmitted(deps: ListenerDeps) {
  return async ({ ack, body, view }: SubmitArgs): Promise<void> => {
    const refuse = (problem: SlackMessage, field: string = formIds.followUpMode) =>
      refuseAtField(ack, problem, field);
    const data = decodeSettings(view.private_metadata);
    if (data === null) return refuse(notReadView());
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
