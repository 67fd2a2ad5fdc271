import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { SlackMessage } from '../../../views/parts/message.ts';

export type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** Acknowledges the command with a private answer. */
export async function answer({ ack }: CommandArgs, message: SlackMessage): Promise<void> {
  await ack({ response_type: 'ephemeral', ...message });
}
