import type { Receipt } from '../../jobs/follow-ups/follow-up.ts';

/** Writes to bots, too. Nothing marks it as a bot itself, not even `users.info`. */
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

/** Form fields: each is the id of its block and of its element. */
export const formIds = {
  prompt: 'prompt',
  project: 'project',
  recipe: 'recipe',
  agentJob: 'agent_job',
  channel: 'channel',
  followUpMode: 'follow_up_mode',
  followUpWindow: 'follow_up_window',
  noticeChannels: 'notice_channels',
  /** Followed by the name of the placeholder. */
  value: 'value_',
  /** Followed by the number of the group. */
  messages: 'messages_',
} as const;

/** In a message's menu. */
export const ASK_SHORTCUT_ID = 'ask_docs_agent';

/** Where Slack's requests arrive in HTTP mode. */
export const EVENTS_PATH = '/slack/events';
/** Where a workspace begins to install the app. */
export const INSTALL_PATH = '/slack/install';
/** Where Slack sends people back who install the app. */
export const OAUTH_REDIRECT_PATH = '/slack/oauth_redirect';

export const STEP_ID = 'ask_docs_agent';

/** Public, private and group messages; no direct message. */
export function isChannel(id: string): boolean {
  return /^[CG]/.test(id);
}

/** On replies: the outcome of each. */
export const receiptEmoji: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

/** Whether the program itself adds this emoji to messages. */
export function isOwnEmoji(name: string): boolean {
  return Object.values(receiptEmoji).includes(name);
}

/** Without its skin tone: `+1::skin-tone-2` is `+1`. */
export function withoutSkinTone(name: string): string {
  return name.split('::', 1)[0] ?? name;
}
