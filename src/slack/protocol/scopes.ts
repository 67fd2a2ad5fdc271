import { type AccessRule, hasMarks, type Rules } from '#jobs/policy.ts';

export interface ManifestEntry {
  readonly name: string;
  readonly reason: string;
}

export interface Scope extends ManifestEntry {
  readonly without: string;
  readonly isOptional?: true;
}

const USER_GROUPS_SCOPE = 'usergroups:read';

export const botScopes: readonly Scope[] = [
  {
    name: 'commands',
    reason: 'Receive /docs-agent, and "Ask Docs Agent" from the menu of a message.',
    without: '/docs-agent and "Ask Docs Agent" do nothing',
  },
  {
    name: 'app_mentions:read',
    reason: 'Start a job when somebody mentions the bot.',
    without: 'mentions do nothing',
  },
  {
    name: 'chat:write',
    reason: 'Post the card, its thread, notices and private answers, and keep the card up to date.',
    without: 'nothing is posted',
  },
  {
    name: 'reactions:write',
    reason: 'Show at each reply whether it was stored, sent or refused.',
    without: 'nobody sees whether a reply was stored or sent',
  },
  {
    name: 'channels:history',
    reason:
      'Get the replies in threads of public channels. Read threads again for missed replies, and look there ' +
      'for posts whose fate is unknown.',
    without: 'replies in public channels never reach the agent',
  },
  {
    name: 'groups:history',
    reason: 'The same in private channels.',
    without: 'replies in private channels never reach the agent',
  },
  {
    name: 'im:history',
    reason: 'The same in direct messages, where a message starts a job, too.',
    without: 'direct messages do nothing',
  },
  {
    name: 'mpim:history',
    reason: 'The same in group messages.',
    without: 'replies in group messages never reach the agent',
  },
  {
    name: 'channels:read',
    reason:
      'Tell which channels are shared with another organisation, and public ones from private ones: what was asked ' +
      'in a private one shows in notice channels only as its link. Give the agent the names of channels.',
    without: 'every public channel counts as shared with another organisation, so nothing starts there',
  },
  {
    name: 'groups:read',
    reason:
      'The same for private channels. Learn that the bot is back in one, where messages may wait to be posted.',
    without: 'every private channel counts as shared with another organisation, so nothing starts there',
  },
  {
    name: 'mpim:read',
    reason: 'Tell which group messages are shared with another organisation.',
    without: 'all group messages count as shared with another organisation, so nothing starts there',
  },
  {
    name: 'files:read',
    reason: 'Read the text files and pictures that come along with a request or a reply.',
    without: 'the text files and pictures that come along are not read',
    isOptional: true,
  },
  {
    name: 'users:read',
    reason: 'Tell guests and people of other workspaces from members, and turn mentions into names.',
    without: 'members cannot be told from guests and people of other workspaces, so everybody is refused',
  },
  {
    name: USER_GROUPS_SCOPE,
    reason:
      'Tell who is in the user groups that may use the bot, and give the agent the names of user groups. Only ' +
      'needed for the first, with user_groups in the settings.',
    without: 'user groups in the settings let nobody in',
    isOptional: true,
  },
];

/** These need no other scopes. */
export const botEvents: readonly ManifestEntry[] = [
  { name: 'app_mention', reason: 'Mentions.' },
  { name: 'app_home_opened', reason: 'Draw the home tab when somebody opens it.' },
  { name: 'message.channels', reason: 'Replies in public channels.' },
  { name: 'message.groups', reason: 'Replies in private channels.' },
  { name: 'message.im', reason: 'Direct messages.' },
  { name: 'message.mpim', reason: 'Replies in group messages.' },
  { name: 'member_joined_channel', reason: 'The bot is in a channel again: what waits there is posted.' },
  {
    name: 'channel_shared',
    reason: 'Stop posting in a channel that becomes shared with another organisation.',
  },
  { name: 'channel_unarchive', reason: 'Likewise when a public channel is open again.' },
  { name: 'group_unarchive', reason: 'Likewise for a private channel.' },
];

const REACTIONS_SCOPE = 'reactions:read';
export const reactionScopes: readonly Scope[] = [
  {
    name: REACTIONS_SCOPE,
    reason: 'See who marks a message with the emoji that makes drafts.',
    without: 'no emoji makes a draft',
    isOptional: true,
  },
];
export const reactionEvents: readonly ManifestEntry[] = [
  { name: 'reaction_added', reason: 'Make a draft of a message that somebody marks.' },
  { name: 'reaction_removed', reason: 'Withdraw the draft when nobody marks the message any more.' },
];

export const EMOJI_SCOPE = 'emoji:read';
export const optionalReactionScopes: readonly Scope[] = [
  {
    name: EMOJI_SCOPE,
    reason: 'Let `docs-agent doctor` say whether that emoji exists.',
    without: '`docs-agent doctor` cannot say whether the emoji exists',
    isOptional: true,
  },
];

/** These end an installation. */
export const oauthEvents: readonly ManifestEntry[] = [
  { name: 'app_uninstalled', reason: 'Forget the tokens of a workspace that removed the app.' },
  { name: 'tokens_revoked', reason: 'Forget tokens that were revoked.' },
];

export const AGENT_SCOPE = 'assistant:write';
export const agentScopes: readonly ManifestEntry[] = [
  { name: AGENT_SCOPE, reason: 'Slack requires it of every app with an agent_view.' },
];

export const agentEvents: readonly ManifestEntry[] = [
  { name: 'agent_session_stopped', reason: "Somebody pressed Slack's own Stop: end what the agent does." },
];

export const workflowEvents: readonly ManifestEntry[] = [
  { name: 'function_executed', reason: 'A workflow has reached its step "Ask docs-agent".' },
];

/** Null: Slack does not say. */
export type GrantedScopes = ReadonlySet<string> | null;

export function grantedIn(answer: {
  readonly response_metadata?: { scopes?: readonly string[] };
}): GrantedScopes {
  const scopes = answer.response_metadata?.scopes;
  return scopes === undefined ? null : new Set(scopes);
}

type ScopeSettings = Pick<Rules, 'channels'> & { access: Pick<AccessRule, 'userGroups'> };

/** Empty if Slack does not say what is granted. */
export function missingScopes(granted: GrantedScopes, settings: readonly ScopeSettings[]): readonly Scope[] {
  if (granted === null) return [];
  const hasGroups = settings.some(({ access }) => access.userGroups.size > 0);
  const always = botScopes.filter(({ name }) => name !== USER_GROUPS_SCOPE || hasGroups);
  const ofReactions = settings.some(hasMarks) ? [...reactionScopes, ...optionalReactionScopes] : [];
  return [...always, ...ofReactions].filter(({ name }) => !granted.has(name));
}

export function scopesInWords(scopes: readonly Scope[]): string {
  return scopes.map(({ name, without }) => `${name} (${without})`).join(', ');
}

export function howToGrant(scopes: readonly Scope[]): string {
  const ofReactions = scopes.some(({ name }) => name === REACTIONS_SCOPE);
  return ofReactions
    ? 'At https://api.slack.com/apps, open the app, "App Manifest", and put there what `docs-agent manifest --reactions` prints: it also subscribes to the events. Then "Install App", "Reinstall".'
    : 'At https://api.slack.com/apps, open the app, "OAuth & Permissions", "Bot Token Scopes", and add what is missing (or replace "App Manifest" with what `docs-agent manifest` prints). Then "Install App", "Reinstall".';
}
