import type { Job } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import { actionIds } from '../ids.ts';
import { type ButtonPart, offerButton } from './message.ts';
import { labels } from './words.ts';

/** What can be done about a job as it is now. */
export function cardOffers({ id: jobId }: Job, { sendNow }: Queue): ButtonPart[] {
  const offers: ButtonPart[] = [];
  if (sendNow !== null) {
    offers.push(offerButton(labels.sendNow, actionIds.sendNow, { jobId, message: sendNow }));
  }
  return offers;
}
