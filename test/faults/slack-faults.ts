import type { Fault } from '../support/fault-proxy/fault.ts';

/**
 * What a post that meets a fault of Slack is taken for:
 * - `waits`: nothing happened; it is made later, once
 * - `looked for`: it may have happened; it is found in Slack, or made again because it is not there
 * - `refused`: it will not work; people learn of it where they can be reached
 * - `place`: nothing happened; it is kept until the bot is in the channel again
 * - `administrator`: nothing happened; it is kept until an administrator has mended the app's access
 */
export type SlackOutcome = 'waits' | 'looked for' | 'refused' | 'place' | 'administrator';

/** What a fault of Slack is taken for. */
export interface SlackFault {
  readonly name: string;
  readonly fault: Fault;
  readonly outcome: SlackOutcome;
}

const html = '<!doctype html><title>Please sign in</title>';
const answered = (error: string, outcome: SlackOutcome): SlackFault => ({
  name: `the error \`${error}\``,
  fault: { error },
  outcome,
});

export const slackFaults: readonly SlackFault[] = [
  {
    name: '429 with `Retry-After`',
    fault: { status: 429, headers: { 'retry-after': '20' } },
    outcome: 'waits',
  },
  answered('ratelimited', 'waits'),
  { name: 'a 4xx that is not Slack’s', fault: { status: 404, body: html }, outcome: 'waits' },
  { name: '429 without `Retry-After`', fault: { status: 429 }, outcome: 'looked for' },
  { name: '500, before the message was stored', fault: { status: 500 }, outcome: 'looked for' },
  { name: '500, after the message was stored', fault: 'error_after', outcome: 'looked for' },
  { name: 'a reset, before the message was stored', fault: 'reset_before', outcome: 'looked for' },
  { name: 'a reset, after the message was stored', fault: 'reset_after', outcome: 'looked for' },
  { name: 'an answer cut in the middle', fault: 'half_body', outcome: 'looked for' },
  { name: 'a web page', fault: { status: 200, body: html }, outcome: 'looked for' },
  answered('internal_error', 'looked for'),
  answered('fatal_error', 'looked for'),
  answered('service_unavailable', 'looked for'),
  answered('request_timeout', 'looked for'),
  answered('not_in_channel', 'place'),
  answered('channel_not_found', 'place'),
  answered('user_not_visible', 'refused'),
  answered('msg_too_long', 'refused'),
  answered('invalid_blocks', 'refused'),
  answered('thread_not_found', 'refused'),
  answered('team_added_to_org', 'waits'),
  answered('message_limit_exceeded', 'waits'),
  answered('accesslimited', 'waits'),
  answered('external_channel_migrating', 'waits'),
  answered('update_failed', 'waits'),
  answered('an_error_of_tomorrow', 'waits'),
  answered('two_factor_setup_required', 'administrator'),
  answered('token_revoked', 'administrator'),
  answered('invalid_auth', 'administrator'),
  answered('missing_scope', 'administrator'),
  answered('account_inactive', 'administrator'),
];
