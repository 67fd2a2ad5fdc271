import type { NewCall } from '../../../src/jobs/call.ts';
import type { JobState } from '../../../src/jobs/decide/decision-builder.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import type { Job } from '../../../src/jobs/job.ts';

export interface WorldCall extends NewCall {
  readonly followUpIds: readonly string[];
  /** How many events there had been when it was wanted. */
  readonly wantedAfter: number;
  readonly createdAtMs: number;
  /** Of its follow-ups, as delivered by then; null for one that was deleted. */
  readonly texts: readonly (string | null)[];
  /** As it was then. */
  readonly job: Job;
  state: 'open' | 'done' | 'failed' | 'unknown';
}

/** An event, with what it met and what became of the replies. */
export interface Moment {
  readonly event: JobEvent;
  readonly before: JobState;
  readonly after: readonly FollowUp[];
}

/** A prompt or message that the API took. */
export interface Taken {
  readonly callId: string;
  readonly kind: 'create_job' | 'send_message';
  readonly prompt: string;
  /** The program got the answer. */
  readonly isAnswered: boolean;
}
