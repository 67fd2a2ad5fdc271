import { type AccessRule, hasMarks, type Rules } from '#jobs/policy.ts';

export interface Scope {
  readonly name: string;
  /** What fails. */
  readonly without: string;
  readonly isOptional: boolean;
}

const USER_GROUPS_SCOPE = 'usergroups:read';
const REACTIONS_SCOPE = 'reactions:read';
export const EMOJI_SCOPE = 'emoji:read';
export const AGENT_SCOPE = 'assistant:write';
const EMAIL_SCOPE = 'users:read.email';
const OPTIONAL = new Set(['files:read', USER_GROUPS_SCOPE, REACTIONS_SCOPE, EMOJI_SCOPE, EMAIL_SCOPE]);

function scopesOf(table: Readonly<Record<string, string>>): readonly Scope[] {
  return Object.entries(table).map(([name, without]) => {
    return { name, without, isOptional: OPTIONAL.has(name) };
  });
}

export const botScopes = scopesOf({
  commands: '/docs-agent and "Ask Docs Agent" do nothing',
  'app_mentions:read': 'mentions do nothing',
  'chat:write': 'nothing is posted',
  'reactions:write': 'nobody sees whether a reply was stored or sent',
  'channels:history': 'replies in public channels never reach the agent',
  'groups:history': 'replies in private channels never reach the agent',
  'im:history': 'direct messages do nothing',
  'mpim:history': 'replies in group messages never reach the agent',
  'channels:read': 'every public channel counts as shared with another organisation, so nothing starts there',
  'groups:read': 'every private channel counts as shared with another organisation, so nothing starts there',
  'mpim:read': 'all group messages count as shared with another organisation, so nothing starts there',
  'files:read': 'the text files and pictures that come along are not read',
  'users:read': 'members cannot be told from guests and people of other workspaces, so everybody is refused',
  [USER_GROUPS_SCOPE]: 'user groups in the settings let nobody in',
});

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

export const reactionScopes = scopesOf({ [REACTIONS_SCOPE]: 'no emoji makes a draft' });
export const reactionEvents: readonly string[] = ['reaction_added', 'reaction_removed'];

export const optionalReactionScopes = scopesOf({
  [EMOJI_SCOPE]: '`docs-agent doctor` cannot say whether the emoji exists',
});

export const emailScopes = scopesOf({
  [EMAIL_SCOPE]:
    'reviewers of pull requests are named, not mentioned, unless the setting `people` names them',
});

/** These end an installation. */
export const oauthEvents: readonly string[] = ['app_uninstalled', 'tokens_revoked'];

export const agentScopes = scopesOf({ [AGENT_SCOPE]: 'Slack does not accept an agent_view' });

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
export function missingScopes(
  granted: GrantedScopes,
  settings: readonly ScopeSettings[],
  ofFeatures: readonly Scope[] = [],
): readonly Scope[] {
  if (granted === null) return [];
  const hasGroups = settings.some(({ access }) => access.userGroups.size > 0);
  const always = botScopes.filter(({ name }) => name !== USER_GROUPS_SCOPE || hasGroups);
  const ofReactions = settings.some(hasMarks) ? [...reactionScopes, ...optionalReactionScopes] : [];
  return [...always, ...ofReactions, ...ofFeatures].filter(({ name }) => !granted.has(name));
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
