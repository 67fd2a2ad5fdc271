import type { Announcement } from '../../../jobs/announcement.ts';
import { isUnwatched, type Job } from '../../../jobs/job.ts';
import type { Queue } from '../../../jobs/queue.ts';
import { actionIds } from '../../protocol/ids.ts';
import {
  actionButton,
  type ButtonPart,
  buttons,
  message,
  offerButton,
  type Part,
  paragraph,
  quotation,
  type SlackMessage,
} from '../parts/message.ts';
import { moment, mrkdwn, userMention } from '../parts/mrkdwn.ts';
import { line } from '../parts/state.ts';
import { shown } from '../parts/untrusted.ts';
import { followUps, labels, signs } from '../parts/words.ts';

const REFUSAL_MAX = 1000;

/** Follow-ups that went out together in one call. */
interface SentTogether {
  readonly callId: string;
  readonly count: number;
}

/**
 * *Run again*, good for this ending only: pressed after another start, it does nothing. Of a job that was attached
 * the prompt is not known.
 */
export function runAgain(job: Job): Part[] {
  if (job.attachedTo !== null) return [];
  return [actionButton(labels.runAgain, actionIds.runAgain, { jobId: job.id, creates: job.creates })];
}

export function failed(job: Job): SlackMessage {
  const news = mrkdwn`${line(signs.failed)} · the agent API gives no reason.`;
  const offer = runAgain(job);
  const advice =
    offer.length > 0
      ? mrkdwn`*${labels.runAgain}* starts a new job with the same prompt.`
      : mrkdwn`A reply is still tried once.`;
  return message(paragraph(mrkdwn`${news} ${advice}`), ...offer);
}

export function createRejected(job: Job, reason: string): SlackMessage {
  return message(
    paragraph(
      mrkdwn`${line(signs.refused)} · the agent API did not take the prompt, nothing was started. It says:`,
    ),
    quotation(shown(reason, REFUSAL_MAX)),
    ...runAgain(job),
  );
}

export function createUnknown(job: Job, callId: string): SlackMessage {
  return message(
    paragraph(
      mrkdwn`${line(signs.startUnknown)} · the agent API did not answer clearly: the job may or may not have started. *${labels.startAgain}* could do the work twice.`,
    ),
    actionButton(labels.startAgain, actionIds.startAgain, { jobId: job.id, callId }),
  );
}

type Rejected = Extract<Announcement, { kind: 'message_rejected' }>;

export function messageRejected(job: Job, { callId, count, message: reason, offer }: Rejected): SlackMessage {
  // By the API, or by us before it was asked.
  const verb = count === 1 ? 'was' : 'were';
  const why = quotation(shown(reason, REFUSAL_MAX));
  if (offer === 'run_again' && job.attachedTo === null) {
    const news = mrkdwn`⚠️ *Not sent* · the agent API does not know this job any more. *${labels.runAgain}* starts a new one with the same prompt, which then gets the ${followUps(count)}.`;
    const target = { jobId: job.id, creates: job.creates, callId };
    return message(paragraph(news), why, actionButton(labels.runAgain, actionIds.runAgain, target));
  }
  return message(
    paragraph(mrkdwn`⚠️ *Not sent* · ${followUps(count)} ${verb} refused. The reason:`),
    why,
    actionButton(labels.retry, actionIds.retry, { jobId: job.id, callId }),
  );
}

export function messageUnknown(job: Job, { callId, count }: SentTogether): SlackMessage {
  return message(
    paragraph(
      mrkdwn`❓ *Sending unknown* · the agent API did not answer clearly: ${followUps(count)} may or may not have arrived. *${labels.sendAgain}* could give the agent the same text twice.`,
    ),
    actionButton(labels.sendAgain, actionIds.sendAgain, { jobId: job.id, callId }),
  );
}

export function longRunning(
  { id: jobId }: Job,
  { question, sinceMs }: Extract<Announcement, { kind: 'long_running' }>,
): SlackMessage {
  const target = { jobId, question };
  return message(
    paragraph(
      mrkdwn`${line(signs.longRunning)} · the agent has been at this turn since ${moment(sinceMs)}. *${labels.keepWatching}*, or *${labels.stopWatching}*? The agent itself goes on either way.`,
    ),
    buttons(
      { ...offerButton(labels.keepWatching, actionIds.keepWatching, target), twin: null },
      { ...offerButton(labels.stopWatching, actionIds.stopWatching, target), twin: null },
    ),
  );
}

/** In place of the question, when it is answered. */
export function watchAnsweredView(label: string, userId: string): SlackMessage {
  const fate = label === labels.stopWatching ? ' The agent itself goes on.' : '';
  return message(
    paragraph(mrkdwn`${line(signs.longRunning)} · ${userMention(userId)} chose *${label}*.${fate}`),
  );
}

/** After an end without a pull request: somebody may know what is missing. */
export function followUpButton({ id: jobId }: Job): Part {
  return actionButton(labels.followUp, actionIds.followUp, { jobId });
}

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
