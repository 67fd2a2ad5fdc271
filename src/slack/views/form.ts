import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { FollowUpMode } from '#jobs/policy.ts';
import { type Project, type Projects, unescaped } from '#jobs/requests/command.ts';
import { formIds, type SettingsFormData, viewIds } from '../protocol/ids.ts';
import { type Blocks, blocksOf, plain, type SlackMessage, say } from './message.ts';
import { channelMention, cut, fullDuration, inFigures, mrkdwn, oneLine, shown } from './text.ts';

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const INPUT_TEXT_MAX = 3000;
/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const OPTION_TEXT_MAX = 75;
/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MENU_OPTIONS_MAX = 100;
const ERROR_MAX = 500;

/** @param title at most 24 characters, like `submit` */
export function form(
  id: string,
  title: string,
  submit: string,
  data: object,
  ...parts: readonly Blocks[]
): ModalView {
  return {
    type: 'modal',
    callback_id: id,
    private_metadata: JSON.stringify(data),
    title: plain(title),
    submit: plain(submit),
    close: plain('Cancel'),
    blocks: blocksOf(parts),
  };
}

/** @param title at most 24 characters */
export function plainModal(title: string, { blocks }: Pick<ModalView, 'blocks'>): ModalView {
  return { type: 'modal', title: plain(title), close: plain('Close'), blocks };
}

export function input(
  id: string,
  label: string,
  element: InputBlock['element'],
  { hint, optional }: Readonly<{ hint?: string | false; optional?: true }> = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    element: { ...element, action_id: id },
    ...(optional && { optional }),
    ...(hint && { hint: plain(hint) }),
  };
}

export function promptFieldMax(promptMaxLength: number): number {
  return Math.min(INPUT_TEXT_MAX, promptMaxLength);
}

export function promptInput(
  prompt: string,
  promptMaxLength: number,
  label = 'What should change in the docs?',
): InputBlock {
  const max = promptFieldMax(promptMaxLength);
  const initial = cut(prompt, max);
  return input(
    formIds.prompt,
    label,
    {
      type: 'plain_text_input',
      multiline: true,
      max_length: max,
      ...(initial !== '' && { initial_value: initial }),
    },
    {
      hint: promptMaxLength > max && `${inFigures(max)} characters max here. For more, send me a message.`,
    },
  );
}

function menu(id: string, label: string, options: PlainTextOption[], initial: string) {
  const chosen = options.find(({ value }) => value === initial);
  return input(id, label, { type: 'static_select', options, ...(chosen && { initial_option: chosen }) });
}

export function projectInput(projects: Projects, preselected: Project): Blocks {
  const options = projects.slice(0, MENU_OPTIONS_MAX).map(({ id, name }) => option(id, name));
  return projects.length > 1 && menu(formIds.project, 'Project', options, preselected.id);
}

export function recipeInput(recipes: readonly string[]): Blocks {
  const options = recipes.slice(0, MENU_OPTIONS_MAX).map((name) => option(name, name));
  const more = { optional: true, hint: "Posts in the recipe's channel." } as const;
  return (
    options.length > 0 && input(formIds.recipe, 'Or run a recipe', { type: 'static_select', options }, more)
  );
}

export function channelInput(): InputBlock {
  return input(
    formIds.channel,
    'Channel',
    { type: 'conversations_select', filter: { include: ['public', 'private', 'mpim'] } },
    { hint: 'The card appears there. I must be a member.' },
  );
}

function option(value: string, untrusted: string): PlainTextOption {
  return { value, text: plain(oneLine(untrusted, OPTION_TEXT_MAX)) };
}

export function twoLineOption(value: string, first: string, second: string): PlainTextOption {
  return { ...option(value, first), description: plain(oneLine(second, OPTION_TEXT_MAX)) };
}

/** Plain text: Slack renders no markup there. */
export function atField({ text }: SlackMessage): string {
  return shown(unescaped(text).replace(/[*`]/g, ''), ERROR_MAX);
}

const NEWS_PREFIX = 'news:';

/** Replaces earlier news. */
export function newsAbove(rest: ModalView['blocks'], news: SlackMessage | null): ModalView['blocks'] {
  const fresh = (news?.blocks ?? []).map((block, index) => ({
    ...block,
    block_id: `${NEWS_PREFIX}${index}`,
  }));
  return [...fresh, ...rest.filter(({ block_id: id }) => !id?.startsWith(NEWS_PREFIX))];
}

/** The configuration file has the same limit. */
export const NOTICE_CHANNELS_MAX = 10;
const WINDOWS_MS = [0, 4_000, 10_000, 30_000, 60_000, 120_000, 300_000];
const modes = { every_reply: "Every reply in a job's thread", mentions: 'Only replies that mention me' };

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
  const modeOptions = Object.entries(modes).map(([value, choice]) => option(value, choice));
  const windowsMs = [...new Set([...WINDOWS_MS, followUpWindowMs])].sort((a, b) => a - b);
  const windowOptions = windowsMs.map((windowMs) =>
    option(String(windowMs), windowMs === 0 ? 'Off: each reply goes out at once' : fullDuration(windowMs)),
  );
  return form(
    viewIds.settings,
    'Settings',
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

export function settingsSavedView(channelId: string): SlackMessage {
  return say`✅ *Settings saved* for ${channelMention(channelId)}. They apply from now on.`;
}

export const notAChoiceView = say`That's no longer available. Please choose again.`;
