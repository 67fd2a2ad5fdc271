import { type AccessRule, hasMarks, type Rules } from '#jobs/policy.ts';

export interface Scope {
  readonly name: string;
  readonly without: string;
  readonly isOptional?: true;
}

const USER_GROUPS_SCOPE = 'usergroups:read';

export const botScopes: readonly Scope[] = [
  {
    name: 'commands',
    without: '/docs-agent and "Ask Docs Agent" do nothing',
  },
  {
    name: 'app_mentions:read',
    without: 'mentions do nothing',
  },
  {
    name: 'chat:write',
    without: 'nothing is posted',
  },
  {
    name: 'reactions:write',
    without: 'nobody sees whether a reply was stored or sent',
  },
  {
    name: 'channels:history',
    without: 'replies in public channels never reach the agent',
  },
  {
    name: 'groups:history',
    without: 'replies in private channels never reach the agent',
  },
  {
    name: 'im:history',
    without: 'direct messages do nothing',
  },
  {
    name: 'mpim:history',
    without: 'replies in group messages never reach the agent',
  },
  {
    name: 'channels:read',
    without: 'every public channel counts as shared with another organisation, so nothing starts there',
  },
  {
    name: 'groups:read',
    without: 'every private channel counts as shared with another organisation, so nothing starts there',
  },
  {
    name: 'mpim:read',
    without: 'all group messages count as shared with another organisation, so nothing starts there',
  },
  {
    name: 'files:read',
    without: 'the text files and pictures that come along are not read',
    isOptional: true,
  },
  {
    name: 'users:read',
    without: 'members cannot be told from guests and people of other workspaces, so everybody is refused',
  },
  {
    name: USER_GROUPS_SCOPE,
    without: 'user groups in the settings let nobody in',
    isOptional: true,
  },
];

/** These need no other scopes. */
export const botEvents: readonly string[] = [
  'app_mention',
  'app_home_opened',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'member_joined_channel',
  'channel_shared',
  'channel_unarchive',
  'group_unarchive',
];

const REACTIONS_SCOPE = 'reactions:read';
export const reactionScopes: readonly Scope[] = [
  {
    name: REACTIONS_SCOPE,
    without: 'no emoji makes a draft',
    isOptional: true,
  },
];
export const reactionEvents: readonly string[] = ['reaction_added', 'reaction_removed'];

export const EMOJI_SCOPE = 'emoji:read';
export const optionalReactionScopes: readonly Scope[] = [
  {
    name: EMOJI_SCOPE,
    without: '`docs-agent doctor` cannot say whether the emoji exists',
    isOptional: true,
  },
];

/** These end an installation. */
export const oauthEvents: readonly string[] = ['app_uninstalled', 'tokens_revoked'];

export const AGENT_SCOPE = 'assistant:write';
export const agentScopes: readonly Scope[] = [
  { name: AGENT_SCOPE, without: 'Slack does not accept an agent_view' },
];

export const agentEvents: readonly string[] = ['agent_session_stopped'];

export const workflowEvents: readonly string[] = ['function_executed'];

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
