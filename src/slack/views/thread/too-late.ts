import type { Job } from '../../../jobs/job.ts';
import { briefState } from '../parts/job-line.ts';
import { message, paragraph, type SlackMessage } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';

/**
 * For who pressed a button that does nothing any more.
 * @param label the button's
 */
export function tooLateView(label: string, job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`⌛ *Too late for “${label}”*: it was pressed before, or the job has gone on since. Now: ${briefState(job)}`,
    ),
  );
}

/** For who pressed a button of a job that was deleted. */
export function jobForgottenView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🗄️ *This job is not kept any more*, so nothing was done. Jobs are deleted some time after they are over. Ask again with \`/docs-agent\`.`,
    ),
  );
}

/** For whoever sent a form that was made for somebody else, or for another channel. */
export function notYourFormView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`That's already settled: this form was made for somebody else or for another channel. Press the button in the thread again.`,
    ),
  );
}

/** For who wrote in the thread of a job that was deleted. */
export function threadForgottenView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🗄️ *I do not follow this thread any more*: its job is not kept. Jobs are deleted some time after they are over. To start another here, mention me.`,
    ),
  );
}
