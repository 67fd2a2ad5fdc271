import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { classify, SlackCallError } from './failure.ts';

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
    const token = await botToken();
    try {
      return (await client.apiCall(method, { ...args, token })) as T;
    } catch (error) {
      throw new SlackCallError(method, classify(error), error);
    }
  };
}
