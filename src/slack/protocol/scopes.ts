/** Something that the app asks Slack for, and why it cannot do without. */
export interface ManifestEntry {
  readonly name: string;
  readonly reason: string;
}

/** Not needed without user groups in the settings. */
export const USER_GROUPS_SCOPE = 'usergroups:read';

/** Without it nothing is lost, but notices say less. */
export const CHANNELS_SCOPE = 'channels:read';

/** The scopes of the bot token: the manifest asks for them, the installation too, and `doctor` compares. */
export const botScopes: readonly ManifestEntry[] = [
  { name: 'commands', reason: 'Take /docs-agent, and "Ask Docs Agent" in the menu of a message.' },
  { name: 'app_mentions:read', reason: 'Start a job at a mention.' },
  {
    name: 'chat:write',
    reason:
      'Post the card, its thread, notices and private answers, keep the card up to date, and show under a ' +
      'thread that the agent works.',
  },
  { name: 'reactions:write', reason: 'Show at each reply whether it was stored, sent or refused.' },
  {
    name: 'channels:history',
    reason:
      'Get the replies in threads of public channels. Read threads again for missed replies, and look there ' +
      'for posts of unknown fate.',
  },
  { name: 'groups:history', reason: 'The same in private channels.' },
  { name: 'im:history', reason: 'The same in direct messages, where a message starts a job, too.' },
  { name: 'mpim:history', reason: 'The same in group messages.' },
  {
    name: CHANNELS_SCOPE,
    reason:
      'Tell public channels from private ones: what was asked in a private one shows in notice channels only ' +
      'as its link. Give the agent the names of channels.',
  },
  {
    name: 'groups:read',
    reason: 'Learn that the bot is back in a private channel, where messages may wait to be posted.',
  },
  { name: 'files:read', reason: 'Read the text snippets that come along with a request or a reply.' },
  {
    name: 'users:read',
    reason: 'Tell guests and people of other workspaces from members, and turn mentions into names.',
  },
  {
    name: USER_GROUPS_SCOPE,
    reason:
      'Tell who is in the user groups that may use the bot, and give the agent the names of user groups. Only ' +
      'needed for the first, with user_groups in the settings.',
  },
];

/** The events that Slack sends; none needs more than the scopes above. */
export const botEvents: readonly ManifestEntry[] = [
  { name: 'app_mention', reason: 'Mentions.' },
  { name: 'app_home_opened', reason: 'Draw the home tab when somebody opens it.' },
  { name: 'message.channels', reason: 'Replies in public channels.' },
  { name: 'message.groups', reason: 'Replies in private channels.' },
  { name: 'message.im', reason: 'Direct messages.' },
  { name: 'message.mpim', reason: 'Replies in group messages.' },
  { name: 'member_joined_channel', reason: 'The bot is in a channel again: what waits there is posted.' },
  { name: 'channel_unarchive', reason: 'Likewise when a public channel is open again.' },
  { name: 'group_unarchive', reason: 'Likewise for a private channel.' },
  {
    name: 'channel_deleted',
    reason: 'What waits to be posted in a public channel that is gone never will be.',
  },
  { name: 'group_deleted', reason: 'Likewise for a private channel.' },
];

/** Where an emoji makes drafts, besides. */
export const REACTIONS_SCOPE = 'reactions:read';
export const reactionScopes: readonly ManifestEntry[] = [
  { name: REACTIONS_SCOPE, reason: 'See who marks a message with the emoji that makes drafts.' },
];
export const reactionEvents: readonly ManifestEntry[] = [
  { name: 'reaction_added', reason: 'Make a draft of a message that somebody marks.' },
  { name: 'reaction_removed', reason: 'Withdraw the draft when nobody marks the message any more.' },
];

/** Whoever installs the app may leave it out. */
export const EMOJI_SCOPE = 'emoji:read';
export const optionalReactionScopes: readonly ManifestEntry[] = [
  { name: EMOJI_SCOPE, reason: 'Let `docs-agent doctor` say whether that emoji exists.' },
];

/** With OAuth, besides: what ends an installation. */
export const oauthEvents: readonly ManifestEntry[] = [
  { name: 'app_uninstalled', reason: 'Forget the tokens of a workspace that removed the app.' },
  { name: 'tokens_revoked', reason: 'Forget tokens that were revoked.' },
];

/** For an app that is an agent, besides. */
export const agentScopes: readonly ManifestEntry[] = [
  { name: 'assistant:write', reason: 'Slack asks for it of every app with an agent_view.' },
];

/** With the step of workflows, besides. */
export const workflowEvents: readonly ManifestEntry[] = [
  { name: 'function_executed', reason: 'A workflow has come to its step "Ask docs-agent".' },
];
