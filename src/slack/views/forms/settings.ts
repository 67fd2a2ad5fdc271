import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import type { Project, Projects } from '../../../jobs/project.ts';
import { encode, type SettingsData } from '../../protocol/form-data.ts';
import { formIds, viewIds } from '../../protocol/ids.ts';
import { channelInput, form, plain, projectInput } from '../parts/form.ts';
import { message, paragraph, type SlackMessage, smallPrint } from '../parts/message.ts';
import { channelMention, type Mrkdwn, mrkdwn, timeOfDay, userMention } from '../parts/mrkdwn.ts';
import { oneLine } from '../parts/untrusted.ts';
import { labels } from '../parts/words.ts';

/** So many notices for one pull request are enough; the configuration file takes no more for a channel, either. */
export const NOTICE_CHANNELS_MAX = 10;
const NAME_MAX = 100;
const WINDOWS_MS = [0, 4_000, 10_000, 30_000, 60_000, 120_000, 300_000];

const modes: Readonly<Record<FollowUpMode, string>> = {
  every_reply: 'Every reply in a job’s thread',
  mentions: 'Only replies that mention docs-agent',
};

/** All settings of a channel, as they hold there. */
export interface Settings {
  readonly project: Project;
  readonly noticeChannels: readonly string[];
  readonly followUpMode: FollowUpMode;
  readonly followUpWindowMs: number;
}

/** The form for the settings of a channel. */
export function settingsForm(data: SettingsData, settings: Settings, projects: Projects): ModalView {
  const { project, noticeChannels, followUpMode, followUpWindowMs } = settings;
  return form({ id: viewIds.settings, title: 'Settings', submit: labels.save, data: encode(data) }, [
    paragraph(mrkdwn`For jobs in ${channelMention(data.channelId)}, from now on.`).block,
    ...projectInput(projects, project),
    menu(formIds.followUpMode, 'Follow-ups', modeOptions(), followUpMode),
    menu(
      formIds.followUpWindow,
      'Replies that come within this time go out as one',
      windowOptions(followUpWindowMs),
      String(followUpWindowMs),
    ),
    noticesInput(noticeChannels),
  ]);
}

/** Asks whose settings are meant. */
export function settingsChannelForm(): ModalView {
  return form({ id: viewIds.settingsChannel, title: 'Settings', submit: labels.next, data: '' }, [
    channelInput('Its settings come next.'),
  ]);
}

/** The windows that can be chosen where this one holds. */
export function windowsMs(followUpWindowMs: number): number[] {
  return [...new Set([...WINDOWS_MS, followUpWindowMs])].sort((a, b) => a - b);
}

export function isMode(value: string | undefined): value is FollowUpMode {
  return value !== undefined && Object.hasOwn(modes, value);
}

/** What somebody else saved while the form was open. */
export interface Meanwhile {
  readonly userId: string;
  readonly atMs: number;
  readonly settings: Settings;
}

export function settingsSavedView(
  channelId: string,
  settings: Settings,
  meanwhile: Meanwhile | null,
): SlackMessage {
  return message(
    paragraph(mrkdwn`⚙️ *Settings saved* for ${channelMention(channelId)}. They hold from now on.`),
    smallPrint(...summary(settings)),
    ...(meanwhile === null
      ? []
      : [
          paragraph(
            mrkdwn`⚠️ ${userMention(meanwhile.userId)} had saved others at ${timeOfDay(meanwhile.atMs)}, while your form was open. Yours have taken their place; those were:`,
          ),
          smallPrint(...summary(meanwhile.settings)),
        ]),
  );
}

export function adminsOnlyView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🔒 *Only administrators may change the settings.* They are the \`admins\` in the configuration file of docs-agent. Nothing was changed.`,
    ),
  );
}

/** What is said at a field whose value does not count any more. */
export function notAChoiceView(): SlackMessage {
  return message(paragraph(mrkdwn`This is no choice any more. Please choose another.`));
}

export function tooManyNoticesView(): SlackMessage {
  return message(
    paragraph(mrkdwn`At most ${NOTICE_CHANNELS_MAX} channels, public or private. Please choose fewer.`),
  );
}

function summary({ project, noticeChannels, followUpMode, followUpWindowMs }: Settings): Mrkdwn[] {
  const replies = followUpMode === 'mentions' ? 'only mentions are follow-ups' : 'every reply is a follow-up';
  const channels = noticeChannels.map((id) => channelMention(id).mrkdwn).join(', ');
  return [
    mrkdwn`project ${oneLine(project.name, NAME_MAX)}`,
    mrkdwn`${replies}`,
    followUpWindowMs === 0
      ? mrkdwn`each reply goes out at once`
      : mrkdwn`replies within ${duration(followUpWindowMs)} go out as one`,
    noticeChannels.length === 0 ? mrkdwn`no notices of its own` : mrkdwn`notices in ${{ mrkdwn: channels }}`,
  ];
}

function noticesInput(noticeChannels: readonly string[]): InputBlock {
  return {
    type: 'input',
    block_id: formIds.noticeChannels,
    optional: true,
    label: plain('Tell these channels of each pull request'),
    hint: plain(
      `At most ${NOTICE_CHANNELS_MAX}, besides those that are told anyway. The bot must be in them.`,
    ),
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
  return Object.entries(modes).map(([value, text]) => ({ text: plain(text), value }));
}

function windowOptions(followUpWindowMs: number): PlainTextOption[] {
  return windowsMs(followUpWindowMs).map((windowMs) => ({
    text: plain(windowMs === 0 ? 'Off: each reply goes out at once' : duration(windowMs)),
    value: String(windowMs),
  }));
}

function duration(ms: number): string {
  if (ms % 60_000 !== 0) return `${ms / 1000} s`;
  return ms === 60_000 ? '1 minute' : `${ms / 60_000} minutes`;
}
