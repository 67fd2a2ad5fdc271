import type { Schedule } from '../schedule/moments.ts';

/** What its schedule is called; no recipe can have this name. */
export const DIGEST = '(digest)';

/** The report of the last week, posted again and again. */
export interface Digest {
  readonly channelId: string;
  readonly schedule: Schedule;
}
