import type { Job } from './job.ts';

/** Who looks, and where. */
export interface Viewer {
  readonly teamId: string;
  readonly userId: string;
  readonly channelId: string;
}

/** A job's place in the order of time; it stays when other jobs come and go. */
export interface Place {
  readonly requestedAtMs: number;
  readonly id: string;
}

/** Null: with the newest job. */
export type PageStart = { readonly to: 'older' | 'newer'; readonly than: Place } | null;

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[];
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}
