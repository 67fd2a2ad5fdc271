import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { classify, SlackCallError, tooLate } from './failure.ts';

/** A token that has to be renewed first may take longer; then the call is made another time. */
const TOKEN_WITHIN_MS = 2_000;

/** Calls a method of Slack's Web API as the bot of one workspace. Throws SlackCallError. */
export type SlackCaller = <T extends WebAPICallResult>(
  method: string,
  args?: Readonly<Record<string, unknown>>,
) => Promise<T>;

/** The bot's token as it is now. Throws SlackCallError if there is none. */
export type BotToken = () => Promise<string>;

/** One client serves all workspaces: the token goes with the call. */
export function createCaller(client: WebClient, botToken: BotToken): SlackCaller {
  return async <T extends WebAPICallResult>(method: string, args: Readonly<Record<string, unknown>> = {}) => {
    const token = await soon(method, botToken());
    try {
      return (await client.apiCall(method, { ...args, token })) as T;
    } catch (error) {
      throw new SlackCallError(method, classify(error), error);
    }
  };
}

/** By the machine's clock, as for the request: a process that was frozen must not send when it wakes. */
async function soon(method: string, botToken: Promise<string>): Promise<string> {
  const untilMs = Date.now() + TOKEN_WITHIN_MS;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLate(method)), TOKEN_WITHIN_MS);
  try {
    const token = await Promise.race([botToken, late]);
    if (Date.now() > untilMs) throw tooLate(method);
    return token;
  } finally {
    clearTimeout(timer);
  }
}
