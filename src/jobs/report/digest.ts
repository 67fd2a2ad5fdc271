import type { Schedule } from '../schedule/moments.ts';

/** The report of the last week, posted again and again. */
export interface Digest {
  readonly channelId: string;
  readonly schedule: Schedule;
}
