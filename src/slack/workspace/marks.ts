import type { WebAPICallResult } from '@slack/web-api';
import { withoutSkinTone } from '../protocol/emoji.ts';
import type { SlackCaller } from './web-api/caller.ts';
import { SlackCallError } from './web-api/failure.ts';

interface Answer extends WebAPICallResult {
  readonly message?: {
    readonly reactions?: readonly { readonly name?: string; readonly users?: readonly string[] }[];
  };
}

/** The reactions that people put at messages. */
export class Marks {
  private readonly call: SlackCaller;

  constructor(call: SlackCaller) {
    this.call = call;
  }

  /**
   * Who marks the message with the emoji now, in whatever skin tone, each named once; nobody if it was deleted. Throws
   * SlackCallError.
   */
  async by(channelId: string, messageTs: string, emoji: string): Promise<string[]> {
    try {
      const args = { channel: channelId, timestamp: messageTs, full: true };
      const { message } = await this.call<Answer>('reactions.get', args);
      const reactions = message?.reactions ?? [];
      const users = reactions.flatMap(({ name = '', users = [] }) =>
        withoutSkinTone(name) === emoji ? users : [],
      );
      return [...new Set(users)];
    } catch (error) {
      if (error instanceof SlackCallError && error.failure.code === 'message_not_found') return [];
      throw error;
    }
  }
}
