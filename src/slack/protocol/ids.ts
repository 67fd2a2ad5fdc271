import { z } from 'zod';
import type { Receipt } from '#jobs/follow-ups/follow-up.ts';
import { fileKinds } from '#jobs/requests/attachments.ts';

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
  fix: 'fix',
  review: 'review',
  recipe: 'recipe',
  settings: 'settings',
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

/** A channel or a group message, not a direct message. */
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

export const team = idKind(
  /^T[A-Z0-9]{2,}$/,
  'a workspace (T…)',
  "it is in Slack's address in a browser, after app.slack.com/client/",
);
export const channel = idKind(
  /^[CG][A-Z0-9]{2,}$/,
  'a channel (C… or G…)',
  'in Slack, click the channel\'s name, "About": it is at the bottom',
);
export const user = idKind(
  /^[UW][A-Z0-9]{2,}$/,
  'a user (U… or W…)',
  'in Slack, open the profile, ⋮, "Copy member ID"',
);
export const userGroup = idKind(
  /^S[A-Z0-9]{2,}$/,
  'a user group (S…)',
  'in Slack, "People", "User groups", the group, ⋯, "Copy group ID"',
);
export const app = idKind(
  /^A[A-Z0-9]{2,}$/,
  'an app (A…)',
  'https://api.slack.com/apps, "Basic Information"',
);

function idKind(form: RegExp, ofWhat: string, where: string) {
  return z.string().regex(form, `must be the id of ${ofWhat}: ${where}`);
}
const ID_MAX = 200;
const MESSAGE_PATH = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:$|[/?#])/;

/** Accepts a link to a message, or an id. */
export function jobReference(word: string) {
  const [bare = ''] = word.replace(/^</, '').replace(/>$/, '').replaceAll('&amp;', '&').split('|', 1);
  const found = MESSAGE_PATH.exec(bare);
  if (found === null) return { kind: 'id', id: bare.slice(0, ID_MAX) } as const;
  const [, channelId = '', seconds, micros] = found;
  // A reply's link also names the thread's root.
  const threadTs = URL.parse(bare)?.searchParams.get('thread_ts') ?? `${seconds}.${micros}`;
  return { kind: 'thread', channelId, threadTs } as const;
}

const CHANNEL_ID = /^[A-Z0-9]{1,32}$/;

/** Saves a call of `chat.getPermalink`. */
export function threadLink(
  workspaceUrl: string | null,
  channelId: string,
  threadTs: string | null,
): string | null {
  if (workspaceUrl === null || threadTs === null || !CHANNEL_ID.test(channelId)) return null;
  return URL.parse(`archives/${channelId}/p${threadTs.replace('.', '')}`, workspaceUrl)?.href ?? null;
}

const snippet = z.object({
  name: z.string(),
  text: z.string().optional(),
  url: z.string().nullable(),
  fileId: z.string().optional(),
  size: z.number().optional(),
});
const other = z.object({
  kind: z.enum(fileKinds),
  name: z.string().nullable(),
  picture: snippet.optional(),
});
const attachments = z.object({
  snippets: z.array(snippet).readonly(),
  others: z.array(other).readonly(),
});

const id = z.string().min(1);
/** For private answers. */
const responseUrl = id.nullable();

export const composeTargetData = z.object({
  /** Null: the form asks for it. */
  channelId: id.nullable(),
  responseUrl,
  attached: attachments.optional(),
  from: z.enum(['form', 'shortcut', 'home']),
});
export type ComposeTarget = Readonly<z.infer<typeof composeTargetData>>;

export const mentionedInData = z.object({ channelId: id, threadTs: id, messageTs: id });
export type MentionedIn = Readonly<z.infer<typeof mentionedInData>>;

export const offeredThreadData = mentionedInData.extend({
  oldestTs: id,
  responseUrl,
});
export type OfferedThread = Readonly<z.infer<typeof offeredThreadData>>;

export const saidSinceData = mentionedInData.extend({ jobId: id, sinceTs: id });
export type SaidSince = Readonly<z.infer<typeof saidSinceData>>;

export const inChannelData = z.object({ channelId: id });

/** Valid for this person and channel. See `ButtonTarget`. */
export const decisionData = inChannelData.extend({
  jobId: id,
  userId: id,
  creates: z.int().optional(),
  callId: z.string().optional(),
  draft: z.int().optional(),
  news: z.string().optional(),
});
export type DecisionForm = Readonly<z.infer<typeof decisionData>>;

export const recipeData = z.object({ recipe: id, responseUrl });

export const settingsData = inChannelData.extend({ responseUrl });
export type SettingsFormData = Readonly<z.infer<typeof settingsData>>;

/** From a form (at most 3000 characters) or a button (2000). */
export function decode<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
