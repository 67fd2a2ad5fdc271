import { alice, bob, general, random } from '../../support/local-slack.ts';

/** Who is there, and where: the smallest scene in which everything can happen. `closed`: channels without the bot. */
export const scene = {
  people: [alice, bob],
  channels: [general],
  closed: [random],
  noticeChannels: [general, random],
} as const;
