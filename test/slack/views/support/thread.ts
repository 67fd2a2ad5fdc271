import { featureViews } from '../../../../src/app/features.ts';
import * as announcement from '../../../../src/slack/views/announcement.ts';
import * as settled from '../../../../src/slack/views/announcement.ts';

/*
 * The views of the thread as the program has them: with those of all features.
 */

export const outcomes = { ...settled.outcomes, ...featureViews.outcomes };

type Announced = Parameters<typeof announcement.announcementView>;

export function announcementView(...[about, job, names, mode, sites]: Announced) {
  return announcement.announcementView(about, job, names, mode, sites, featureViews);
}

export function postedView(...[about, job, outcome, names, sites]: Parameters<typeof settled.postedView>) {
  return settled.postedView(about, job, outcome, names, sites, featureViews);
}

export function tooLateView(...[job, outcome, names, sites]: Parameters<typeof settled.tooLateView>) {
  return settled.tooLateView(job, outcome, names, sites, featureViews);
}
