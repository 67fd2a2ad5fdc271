import type { Job } from '../../jobs/job.ts';
import { actionIds } from '../ids.ts';
import { actionButton, message, paragraph, quotation, type SlackMessage } from './message.ts';
import { mrkdwn } from './mrkdwn.ts';
import { line } from './state.ts';
import { shown } from './untrusted.ts';
import { followUps, labels, signs } from './words.ts';

const REFUSAL_MAX = 1000;

/** Follow-ups that went out together in one call. */
interface SentTogether {
  readonly callId: string;
  readonly count: number;
}

/** Good for this ending only: pressed after another start, it does nothing. */
export function runAgainButton(job: Job): ReturnType<typeof actionButton> {
  return actionButton(labels.runAgain, actionIds.runAgain, { jobId: job.id, creates: job.creates });
}

export function failed(job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`${line(signs.failed)} · the agent API gives no reason. *${labels.runAgain}* starts a new job with the same prompt.`,
    ),
    runAgainButton(job),
  );
}

export function createRejected(job: Job, reason: string): SlackMessage {
  return message(
    paragraph(
      mrkdwn`${line(signs.refused)} · the agent API did not take the prompt, nothing was started. It says:`,
    ),
    quotation(shown(reason, REFUSAL_MAX)),
    runAgainButton(job),
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

export function messageRejected(
  job: Job,
  { callId, count, message: reason }: SentTogether & { readonly message: string },
): SlackMessage {
  // By the API, or by us before it was asked.
  const verb = count === 1 ? 'was' : 'were';
  return message(
    paragraph(mrkdwn`⚠️ *Not sent* · ${followUps(count)} ${verb} refused. The reason:`),
    quotation(shown(reason, REFUSAL_MAX)),
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
