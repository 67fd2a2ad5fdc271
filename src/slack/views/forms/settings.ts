import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import type { Project, Projects } from '../../../jobs/requests/project.ts';
import { encode, type SettingsFormData } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { channelInput, form, plain, projectInput } from '../parts/form.ts';
import { message, paragraph, type SlackMessage, say, smallPrint } from '../parts/message.ts';
import { channelMention, type Mrkdwn, timeOfDay, userMention } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';
import { labels, settingsTexts } from '../parts/words.ts';

/** Enough for one pull request; the configuration file has the same limit. */
export const NOTICE_CHANNELS_MAX = 10;
const NAME_MAX = 100;
const WINDOWS_MS = [0, 4_000, 10_000, 30_000, 60_000, 120_000, 300_000];

export interface EffectiveChannelSettings {
  readonly project: Project;
  readonly noticeChannels: readonly string[];
  readonly followUpMode: FollowUpMode;
  readonly followUpWindowMs: number;
}

export function settingsForm(
  data: SettingsFormData,
  settings: EffectiveChannelSettings,
  projects: Projects,
): ModalView {
  const { project, noticeChannels, followUpMode, followUpWindowMs } = settings;
  return form({ id: viewIds.settings, title: settingsTexts.title, submit: labels.save, data: encode(data) }, [
    paragraph(settingsTexts.intro(channelMention(data.channelId))),
    ...projectInput(projects, project),
    menu(formIds.followUpMode, settingsTexts.mode, modeOptions(), followUpMode),
    menu(
      formIds.followUpWindow,
      settingsTexts.window,
      windowOptions(followUpWindowMs),
      String(followUpWindowMs),
    ),
    noticesInput(noticeChannels),
  ]);
}

/** Asks whose settings are meant. */
export function settingsChannelForm(): ModalView {
  return form({ id: viewIds.settingsChannel, title: settingsTexts.title, submit: labels.next, data: '' }, [
    channelInput(settingsTexts.nextStep),
  ]);
}

/** The windows to choose from where this one is set. */
export function windowsMs(followUpWindowMs: number): number[] {
  return [...new Set([...WINDOWS_MS, followUpWindowMs])].sort((a, b) => a - b);
}

export function isMode(value: string | undefined): value is FollowUpMode {
  return value !== undefined && Object.hasOwn(settingsTexts.modes, value);
}

/** What somebody else saved while the form was open. */
export interface Meanwhile {
  readonly userId: string;
  readonly atMs: number;
  readonly settings: EffectiveChannelSettings;
}

export function settingsSavedView(
  channelId: string,
  settings: EffectiveChannelSettings,
  meanwhile: Meanwhile | null,
): SlackMessage {
  return message(
    paragraph(settingsTexts.saved(channelMention(channelId))),
    smallPrint(...summary(settings)),
    ...(meanwhile === null
      ? []
      : [
          paragraph(settingsTexts.replaced(userMention(meanwhile.userId), timeOfDay(meanwhile.atMs))),
          smallPrint(...summary(meanwhile.settings)),
        ]),
  );
}

/** Shown at a field whose value is no longer valid. */
export const notAChoiceView = say(settingsTexts.noChoice);

export const tooManyNoticesView = say(settingsTexts.tooManyNotices(NOTICE_CHANNELS_MAX));

function summary({
  project,
  noticeChannels,
  followUpMode,
  followUpWindowMs,
}: EffectiveChannelSettings): Mrkdwn[] {
  const { summary: words } = settingsTexts;
  const channels = { mrkdwn: noticeChannels.map((id) => channelMention(id).mrkdwn).join(', ') };
  return [
    words.project(oneLine(project.name, NAME_MAX)),
    words.modes[followUpMode],
    followUpWindowMs === 0 ? words.noWindow : words.window(duration(followUpWindowMs)),
    noticeChannels.length === 0 ? words.noNotices : words.notices(channels),
  ];
}

function noticesInput(noticeChannels: readonly string[]): InputBlock {
  return {
    type: 'input',
    block_id: formIds.noticeChannels,
    optional: true,
    label: plain(settingsTexts.notices),
    hint: plain(settingsTexts.noticesMax(NOTICE_CHANNELS_MAX)),
    element: {
      type: 'multi_conversations_select',
      action_id: formIds.noticeChannels,
      filter: { include: ['public', 'private'], exclude_bot_users: true },
      max_selected_items: NOTICE_CHANNELS_MAX,
      ...(noticeChannels.length === 0 ? {} : { initial_conversations: [...noticeChannels] }),
    },
  };
}

function menu(id: string, label: string, options: PlainTextOption[], initial: string): InputBlock {
  const chosen = options.find(({ value }) => value === initial);
  const element = { type: 'static_select', action_id: id, options } as const;
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    element: chosen === undefined ? element : { ...element, initial_option: chosen },
  };
}

function modeOptions(): PlainTextOption[] {
  return Object.entries(settingsTexts.modes).map(([value, text]) => ({ text: plain(text), value }));
}

function windowOptions(followUpWindowMs: number): PlainTextOption[] {
  return windowsMs(followUpWindowMs).map((windowMs) => ({
    text: plain(windowMs === 0 ? settingsTexts.noWindow : duration(windowMs)),
    value: String(windowMs),
  }));
}

function duration(ms: number): string {
  if (ms % 60_000 !== 0) return `${ms / 1000} s`;
  return ms === 60_000 ? '1 minute' : `${ms / 60_000} minutes`;
}
