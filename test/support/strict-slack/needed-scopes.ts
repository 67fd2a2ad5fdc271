/**
 * What Slack's documentation says that each method needs of a bot token: one of these scopes. Of the methods that
 * read conversations it is the one of the conversation's kind, in the order public, private, direct, group.
 */
const READ_CONVERSATION = ['channels:history', 'groups:history', 'im:history', 'mpim:history'] as const;

export const scopesOfMethods: Readonly<Record<string, readonly string[]>> = {
  'agents.sessions.setStatus': ['chat:write'],
  'apps.connections.open': [],
  'auth.test': [],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.info': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.history': READ_CONVERSATION,
  'conversations.replies': READ_CONVERSATION,
  'emoji.list': ['emoji:read'],
  'files.info': ['files:read'],
  'functions.completeError': [],
  'functions.completeSuccess': [],
  'reactions.add': ['reactions:write'],
  'reactions.get': ['reactions:read'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.info': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

export const scopesOfEvents: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_shared: ['channels:read', 'groups:read'],
  channel_unarchive: ['channels:read'],
  function_executed: [],
  group_unarchive: ['groups:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  reaction_added: ['reactions:read'],
  reaction_removed: ['reactions:read'],
  tokens_revoked: [],
};

/** Commands and shortcuts; and the files of messages, which are read by their addresses. */
export const otherScopes = ['commands', 'files:read'];
