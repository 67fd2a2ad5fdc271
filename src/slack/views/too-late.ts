import type { Job } from '../../jobs/job.ts';
import { briefState } from './job-line.ts';
import { message, paragraph, type SlackMessage } from './message.ts';
import { mrkdwn } from './mrkdwn.ts';

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
