import type { ModalView } from '@slack/types';
import type { FollowUpMode } from '../../jobs/policy.ts';
import type { Project, Projects } from '../../jobs/requests/project.ts';
import type { SettingsFormData } from '../protocol/form-data.ts';
import { formIds, viewIds } from '../protocol/ids.ts';
import { channelInput, form, input, menu, option, projectInput } from './form.ts';
import { type Blocks, message, type SlackMessage, say, smallPrint } from './message.ts';
import { channelMention, joined, mrkdwn, oneLine, timeOfDay, userMention } from './text.ts';

/** The configuration file has the same limit. */
export const NOTICE_CHANNELS_MAX = 10;
const WINDOWS_MS = [0, 4_000, 10_000, 30_000, 60_000, 120_000, 300_000];
const title = 'Settings';
const modes = {
  every_reply: { choice: "Every reply in a job's thread", summary: 'every reply goes to the agent' },
  mentions: { choice: 'Only replies that mention me', summary: 'only mentions go to the agent' },
};

export type EffectiveChannelSettings = Readonly<{
  project: Project;
  noticeChannels: readonly string[];
  followUpMode: FollowUpMode;
  followUpWindowMs: number;
}>;

export function settingsForm(
  data: SettingsFormData,
  { project, noticeChannels, followUpMode, followUpWindowMs }: EffectiveChannelSettings,
  projects: Projects,
): ModalView {
  const modeOptions = Object.entries(modes).map(([value, { choice }]) => option(value, choice));
  const windowOptions = windowsMs(followUpWindowMs).map((windowMs) =>
    option(String(windowMs), windowMs === 0 ? 'Off: each reply goes out at once' : duration(windowMs)),
  );
  return form(
    viewIds.settings,
    title,
    'Save',
    data,
    mrkdwn`For jobs in ${channelMention(data.channelId)}, from now on.`,
    projectInput(projects, project),
    menu(formIds.followUpMode, 'What goes to the agent', modeOptions, followUpMode),
    menu(formIds.followUpWindow, 'Combine replies sent within', windowOptions, String(followUpWindowMs)),
    input(
      formIds.noticeChannels,
      'Announce pull requests in',
      {
        type: 'multi_conversations_select',
        filter: { include: ['public', 'private'], exclude_bot_users: true },
        max_selected_items: NOTICE_CHANNELS_MAX,
        ...(noticeChannels.length > 0 && { initial_conversations: [...noticeChannels] }),
      },
      {
        hint: `At most ${NOTICE_CHANNELS_MAX}, besides those set for all channels. I must be a member of each.`,
        optional: true,
      },
    ),
  );
}

export function settingsChannelForm(): ModalView {
  return form(viewIds.settingsChannel, title, 'Next', '', channelInput('Its settings come next.'));
}

export function windowsMs(followUpWindowMs: number): number[] {
  return [...new Set([...WINDOWS_MS, followUpWindowMs])].sort((a, b) => a - b);
}

export function isMode(value: string | undefined): value is FollowUpMode {
  return value !== undefined && Object.hasOwn(modes, value);
}

export type Meanwhile = Readonly<{ userId: string; atMs: number; settings: EffectiveChannelSettings }>;

export function settingsSavedView(
  channelId: string,
  settings: EffectiveChannelSettings,
  meanwhile: Meanwhile | null,
): SlackMessage {
  return message(
    mrkdwn`✅ *Settings saved* for ${channelMention(channelId)}. They apply from now on.`,
    summary(settings),
    meanwhile !== null && [
      mrkdwn`⚠️ ${userMention(meanwhile.userId)} saved other settings at ${timeOfDay(meanwhile.atMs)}, while your form was open. Yours replaced these:`,
      summary(meanwhile.settings),
    ],
  );
}

export const notAChoiceView = say`That's no longer available. Please choose again.`;

export const tooManyNoticesView = say`At most ${NOTICE_CHANNELS_MAX} channels, public or private. Please choose fewer.`;

function summary(settings: EffectiveChannelSettings): Blocks {
  const { project, noticeChannels, followUpMode, followUpWindowMs } = settings;
  return smallPrint(
    mrkdwn`project ${oneLine(project.name)}`,
    modes[followUpMode].summary,
    followUpWindowMs === 0
      ? mrkdwn`each reply goes out at once`
      : mrkdwn`replies sent within ${duration(followUpWindowMs)} are combined`,
    noticeChannels.length === 0
      ? mrkdwn`no notice channels of its own`
      : mrkdwn`notices in ${joined(noticeChannels.map(channelMention), ', ')}`,
  );
}

function duration(ms: number): string {
  if (ms % 60_000 !== 0) return `${ms / 1000} s`;
  return ms === 60_000 ? '1 minute' : `${ms / 60_000} minutes`;
}
