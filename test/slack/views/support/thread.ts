import { featureViews as features } from '../../../../src/app/features.ts';
import type { Announcement } from '../../../../src/jobs/announcement.ts';
import type { Job, OfferOutcome } from '../../../../src/jobs/job.ts';
import type { FollowUpMode } from '../../../../src/jobs/policy.ts';
import * as views from '../../../../src/slack/views/announcement.ts';
import type { Names } from '../../../../src/slack/views/text.ts';

/*
 * The views of the thread as the program has them: with those of all features.
 */

export const outcomes = { ...views.outcomes, ...features.outcomes };

export function announcementView(about: Announcement, job: Job, names: Names, mode?: FollowUpMode) {
  return views.announcementView(about, job, { names, mode, features });
}

export function postedView(about: Announcement, job: Job, outcome: OfferOutcome | null, names: Names) {
  return views.announcementView(about, job, { names, features }, outcome);
}

export function tooLateView(job: Job, outcome: OfferOutcome | null, names: Names) {
  return views.tooLateView(job, outcome, { names, features });
}
