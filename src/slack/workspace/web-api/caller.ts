import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { type Clock, systemClock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import type { MessageEvent } from '../../messages/message-event.ts';
import type { FoundMessage } from '../../messages/post-mark.ts';
import { classify, SlackCallError, tooLate } from './failure.ts';

export type ThreadMessage = FoundMessage & MessageEvent;

/** If the store takes longer to return a token, the call is made another time. */
const TOKEN_WITHIN_MS = 2_000;

/**
 * Calls a method of Slack's Web API as one workspace's bot. An argument `token` replaces the bot's. Throws
 * SlackCallError.
 */
export type SlackCaller = <T extends WebAPICallResult>(
  method: string,
  args?: Readonly<Record<string, unknown>>,
) => Promise<T>;

export interface CallerParts {
  readonly call: SlackCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The bot's current token. Throws SlackCallError if there is none. */
export type BotToken = () => Promise<string>;

/** One client serves all workspaces: the token goes with the call. */
export function createCaller(client: WebClient, botToken: BotToken): SlackCaller {
  return async <T extends WebAPICallResult>(method: string, args: Readonly<Record<string, unknown>> = {}) => {
    const untilMs = Date.now() + TOKEN_WITHIN_MS;
    const own = typeof args.token === 'string' ? args.token : null;
    const token = own ?? (await systemClock.timeout(TOKEN_WITHIN_MS, botToken(), null));
    // By the machine's clock, as for the request: a frozen process must not send when it wakes.
    if (token === null || Date.now() > untilMs) throw tooLate(method);
    try {
      return (await client.apiCall(method, { ...args, token })) as T;
    } catch (error) {
      throw new SlackCallError(method, classify(error), error);
    }
  };
}

export function loggedCaller(call: SlackCaller, log: Logger, clock: Clock, teamId: string): SlackCaller {
  return async <T extends WebAPICallResult>(method: string, args?: Readonly<Record<string, unknown>>) => {
    const startedAtMs = clock.now();
    const facts = () => ({ method, team_id: teamId, duration_ms: clock.now() - startedAtMs });
    try {
      const result = await call<T>(method, args);
      log.debug('slack_called', { ...facts(), outcome: 'done' });
      return result;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { outcome, code, needsAdmin } = error.failure;
      log.debug('slack_called', { ...facts(), outcome: needsAdmin ? 'needs_admin' : outcome, reason: code });
      throw error;
    }
  };
}

/** Admission waits for a second at most. */
const SECOND_AFTER_MS = 400;

/**
 * Repeats a safe question to Slack: at once after a failure that may pass, or when there is no answer for a
 * while. The first answer counts.
 */
export async function withSecondTry<T>(ask: () => Promise<T>, clock: Clock): Promise<T> {
  const first = ask();
  const answered = first.then(() => false, mayPass);
  const isWorthAnother = await clock.timeout(SECOND_AFTER_MS, answered, true);
  if (!isWorthAnother) return first;
  const second = ask();
  return Promise.any([first, second]).catch(() => second);
}

/** Repeats once after a failure: one failed page should not end a read of many. */
export async function againIfFailed<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!mayPass(error)) throw error;
    return ask();
  }
}

/** Not if Slack asked to wait. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof SlackCallError)) return false;
  const { outcome, retryAfterMs, needsAdmin } = error.failure;
  return outcome !== 'refused' && retryAfterMs === null && !needsAdmin;
}
