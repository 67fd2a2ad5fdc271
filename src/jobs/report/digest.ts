import type { Schedule } from '../schedule/moments.ts';

/** What its schedule is called; no recipe can have this name. */
export const DIGEST = '(digest)';

/** A report that is posted again and again, each about the time since the one before. */
export interface Digest {
  readonly channelId: string;
  readonly schedule: Schedule;
}
