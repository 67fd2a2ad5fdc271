import { alice, bob, general, random } from '../../support/local-slack.ts';

/** Who is there, and where. */
export interface Scene {
  /** Each of them may also write to the bot directly. */
  readonly people: readonly string[];
  /** Channels with the bot. Where it is mentioned in another one, it is mentioned in the first of these instead. */
  readonly channels: readonly string[];
  /** Channels without it. */
  readonly closed: readonly string[];
  /** Where pull requests are to be announced, whether the bot is there or not. */
  readonly noticeChannels: readonly string[];
}

/** The smallest one in which everything can happen. */
export const smallScene: Scene = {
  people: [alice, bob],
  channels: [general],
  closed: [random],
  noticeChannels: [general, random],
};
