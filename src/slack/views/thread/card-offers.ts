import { isUnwatched, type Job } from '../../../jobs/job.ts';
import type { Queue } from '../../../jobs/queue.ts';
import { actionIds } from '../../protocol/ids.ts';
import { type ButtonPart, offerButton } from '../parts/message.ts';
import { labels } from '../parts/words.ts';

/** What can be done about a job as it is now: also what was offered in the thread, where Slack may have refused it. */
export function cardOffers(job: Job, { sendNow, undecided }: Queue): ButtonPart[] {
  const { id: jobId, stage, creates, agentJob } = job;
  const offers: ButtonPart[] = [];
  if (stage.kind === 'create_unknown') {
    const target = { jobId, callId: stage.callId };
    offers.push(offerButton(labels.startAgain, actionIds.startAgain, target));
  }
  if (canRunAgain(job)) offers.push(offerButton(labels.runAgain, actionIds.runAgain, { jobId, creates }));
  if (isUnwatched(job) && stage.kind === 'working' && stage.question !== undefined) {
    const target = { jobId, question: stage.question.number };
    offers.push(offerButton(labels.resumeWatching, actionIds.resumeWatching, target));
  }
  if (stage.kind === 'ended' && stage.status === 'completed' && !agentJob?.prLink) {
    offers.push(offerButton(labels.followUp, actionIds.followUp, { jobId }));
  }
  if (undecided !== null) {
    const { callId, state } = undecided;
    const [label, actionId] =
      state === 'unknown' ? [labels.sendAgain, actionIds.sendAgain] : [labels.retry, actionIds.retry];
    offers.push(offerButton(label, actionId, { jobId, callId }));
  }
  if (sendNow !== null) {
    offers.push(offerButton(labels.sendNow, actionIds.sendNow, { jobId, message: sendNow }));
  }
  return offers;
}

/** Of a job that was attached the prompt is not known. */
function canRunAgain({ stage, attachedTo }: Job): boolean {
  if (attachedTo !== null) return false;
  if (stage.kind === 'rejected') return true;
  return stage.kind === 'ended' && (stage.status === 'failed' || stage.status === 'vanished');
}
