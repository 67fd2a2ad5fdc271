import type { ViewOutput } from '@slack/bolt';
import type { SettingsData } from '../form-data.ts';
import { formIds } from '../ids.ts';
import type { SlackMessage } from '../views/message.ts';
import {
  isMode,
  NOTICE_CHANNELS_MAX,
  notAChoiceView,
  type Settings,
  tooManyNoticesView,
  windowsMs,
} from '../views/settings.ts';
import type { ListenerDeps } from './deps.ts';

const CHANNEL_ID = /^[CG][A-Z0-9]+$/;

type Chosen =
  | { readonly settings: Settings }
  /** To be said at the field. */
  | { readonly problem: SlackMessage; readonly field: string };

/** What an administrator filled in, or what is wrong with it: the form may be older than the configuration. */
export function chosenSettings(
  { projects }: Pick<ListenerDeps, 'projects'>,
  { windowMs }: SettingsData,
  { state }: ViewOutput,
): Chosen {
  const at = (id: string) => state.values[id]?.[id];
  const projectId = at(formIds.project)?.selected_option?.value;
  const project = projectId === undefined ? projects[0] : projects.find(({ id }) => id === projectId);
  if (project === undefined) return { problem: notAChoiceView(), field: formIds.project };
  const followUpMode = at(formIds.followUpMode)?.selected_option?.value;
  if (!isMode(followUpMode)) return { problem: notAChoiceView(), field: formIds.followUpMode };
  const followUpWindowMs = Number(at(formIds.followUpWindow)?.selected_option?.value);
  if (!windowsMs(windowMs).includes(followUpWindowMs)) {
    return { problem: notAChoiceView(), field: formIds.followUpWindow };
  }
  const noticeChannels = [...new Set(at(formIds.noticeChannels)?.selected_conversations ?? [])];
  if (noticeChannels.length > NOTICE_CHANNELS_MAX || !noticeChannels.every((id) => CHANNEL_ID.test(id))) {
    return { problem: tooManyNoticesView(), field: formIds.noticeChannels };
  }
  return { settings: { project, followUpMode, followUpWindowMs, noticeChannels } };
}
