import type { ViewOutput } from '@slack/bolt';
import type { SettingsData } from '../../../protocol/form-data.ts';
import { formIds } from '../../../protocol/ids.ts';
import {
  isMode,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  type Settings,
  tooManyNoticesView,
  windowsMs,
} from '../../../views/forms/settings.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import type { ListenerDeps } from '../deps.ts';

const CHANNEL_ID = /^[CG][A-Z0-9]+$/;

type Chosen =
  | { readonly settings: Settings }
  /** To be said at the field. */
  | { readonly problem: SlackMessage; readonly field: string };

/** What an administrator filled in, or what is wrong with it: the form may be older than the configuration. */
export function chosenSettings(
  { projects }: Pick<ListenerDeps, 'projects'>,
  { held }: SettingsData,
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
