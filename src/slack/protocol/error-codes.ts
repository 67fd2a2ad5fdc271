/** The place is closed until people act there. */
const CLOSED = [
  'channel_is_archived is_archived messages_tab_disabled restricted_action',
  'restricted_action_non_threadable_channel restricted_action_read_only_channel',
  'restricted_action_thread_locked restricted_action_thread_only_channel thread_locked',
];

/** From each method's "Errors": https://docs.slack.dev/reference/methods */
const CODES = {
  // "It's possible some aspect of the operation succeeded before the error was raised".
  unclear: ['fatal_error internal_error request_timeout service_unavailable'],
  limited: ['rate_limited ratelimited'],
  // It works again when people have fixed the access.
  admin: [
    // All methods: the token, its scopes, and the owners' settings.
    'access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth',
    'missing_scope no_permission not_allowed_token_type not_authed org_login_required',
    'team_access_not_granted token_expired token_revoked two_factor_setup_required',
    // usergroups.users.list
    'permission_denied',
  ],
  final: [
    // All methods: malformed requests.
    'invalid_arguments invalid_form_data missing_argument',
    // chat.*, conversations.*: the place is gone or closed.
    ...CLOSED,
    'cannot_dm_bot cannot_reply_to_message channel_not_found invalid_channel is_inactive',
    'not_in_channel thread_not_found user_disabled user_not_found user_not_in_channel',
    'user_not_visible users_not_found',
    // chat.postMessage, chat.postEphemeral, chat.update
    'block_mismatch cant_update_message edit_window_closed invalid_blocks invalid_blocks_format',
    'invalid_metadata_format invalid_metadata_schema message_not_found',
    'metadata_must_be_sent_from_app metadata_too_large msg_blocks_too_long msg_too_long no_text',
    // reactions.add, reactions.remove
    'already_reacted bad_timestamp invalid_name no_reaction not_reactable',
    'too_many_emoji too_many_reactions',
    // views.*
    'exchanged_trigger_id expired_trigger_id invalid_trigger invalid_trigger_id not_enabled',
    'not_found push_limit_reached trigger_exchanged trigger_expired view_too_large',
    // functions.completeSuccess, functions.completeError
    'execution_not_in_running_state function_execution_not_found parameter_validation_failed',
    // conversations.history, conversations.replies
    'invalid_cursor',
    // apps.connections.open
    'forbidden_team socket_mode_disabled',
    // files.info, usergroups.users.list
    'file_deleted file_not_found no_such_subteam plan_upgrade_required',
  ],
};

const classes = new Map(
  Object.entries(CODES).flatMap(([name, lines]) =>
    lines.flatMap((line) => line.split(' ').map((code) => [code, name as keyof typeof CODES] as const)),
  ),
);

/** `passing`: it works later, or the code is unknown: Slack adds codes without notice. */
export function classOf(code: string): keyof typeof CODES | 'passing' {
  return classes.get(code) ?? 'passing';
}

/** Our own code: a post may exist, but the bot cannot see it. */
export const NOT_SEEN = 'not_seen';

/** Our own code: people of another organisation are in the channel, or invited. */
export const CHANNEL_IS_SHARED = 'channel_is_shared';

export function isNotInChannel(code: string): boolean {
  return code === 'not_in_channel' || code === 'channel_not_found';
}

export const closedPlaceCodes: readonly string[] = [
  'not_in_channel',
  'channel_not_found',
  CHANNEL_IS_SHARED,
  ...CLOSED.flatMap((line) => line.split(' ')),
];

export function isPlaceClosed(code: string): boolean {
  return closedPlaceCodes.includes(code);
}

export function isPlaceGone(code: string): boolean {
  return isNotInChannel(code) || ['channel_is_archived', 'is_archived', 'thread_not_found'].includes(code);
}

export const INVALID_CURSOR = 'invalid_cursor';
