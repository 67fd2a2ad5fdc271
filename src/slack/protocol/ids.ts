import { z } from 'zod';
import type { Receipt } from '#jobs/follow-ups/follow-up.ts';

/** Also writes to bots. Not even `users.info` marks it as a bot. */
export const SLACKBOT = 'USLACKBOT';

export const viewIds = {
  compose: 'compose',
  followUp: 'follow_up',
  editRequest: 'edit_request',
  agentJob: 'agent_job',
  draft: 'draft',
  threadPreview: 'thread_preview',
  saidSince: 'said_since',
  startAnother: 'start_another',
  recipe: 'recipe',
  settings: 'settings',
  settingsChannel: 'settings_channel',
} as const;

/** Both the block's and the element's id. */
export const formIds = {
  prompt: 'prompt',
  project: 'project',
  recipe: 'recipe',
  agentJob: 'agent_job',
  channel: 'channel',
  followUpMode: 'follow_up_mode',
  followUpWindow: 'follow_up_window',
  noticeChannels: 'notice_channels',
  /** A prefix. */
  value: 'value_',
  /** A prefix. */
  messages: 'messages_',
} as const;

export const ASK_SHORTCUT_ID = 'ask_docs_agent';

export const EVENTS_PATH = '/slack/events';
export const INSTALL_PATH = '/slack/install';
export const OAUTH_REDIRECT_PATH = '/slack/oauth_redirect';

export const STEP_ID = 'ask_docs_agent';

/** Or a group message; no direct message. */
export function isChannel(id: string): boolean {
  return /^[CG]/.test(id);
}

export const receiptEmoji: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

export function isOwnEmoji(name: string): boolean {
  return Object.values(receiptEmoji).includes(name);
}

/** `+1::skin-tone-2` is `+1`. */
export function withoutSkinTone(name: string): string {
  return name.split('::', 1)[0] ?? name;
}

export const WHERE_CHANNELS_SHOW_IT = 'in Slack, click the channel\'s name, "About": it is at the bottom';
export const WHERE_PEOPLE_SHOW_IT = 'in Slack, open the profile, ⋮, "Copy member ID"';

export const team = id(
  /^T[A-Z0-9]{2,}$/,
  'a workspace (T…)',
  "it is in Slack's address in a browser, after app.slack.com/client/",
);
export const channel = id(/^[CG][A-Z0-9]{2,}$/, 'a channel (C… or G…)', WHERE_CHANNELS_SHOW_IT);
export const user = id(/^[UW][A-Z0-9]{2,}$/, 'a user (U… or W…)', WHERE_PEOPLE_SHOW_IT);
export const userGroup = id(
  /^S[A-Z0-9]{2,}$/,
  'a user group (S…)',
  'in Slack, "People", "User groups", the group, ⋯, "Copy group ID"',
);
export const app = id(/^A[A-Z0-9]{2,}$/, 'an app (A…)', 'https://api.slack.com/apps, "Basic Information"');

function id(form: RegExp, ofWhat: string, where: string) {
  return z.string().regex(form, `must be the id of ${ofWhat}: ${where}`);
}
