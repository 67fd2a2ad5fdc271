import type { Job } from '../../../jobs/job.ts';
import type { Whisper } from '../../../jobs/whisper.ts';
import { actionIds } from '../../protocol/ids.ts';
import { actionButton, message, paragraph, type SlackMessage } from '../parts/message.ts';
import { mrkdwn } from '../parts/mrkdwn.ts';
import { labels } from '../parts/words.ts';

/** What one person is told in a job's thread, for their eyes only. */
export function whisperView({ messageTs }: Whisper, job: Job): SlackMessage {
  return message(
    paragraph(
      mrkdwn`✏️ *Edited after it was sent* · the agent still has your earlier text. *${labels.sendCorrection}* sends the reply as it reads now.`,
    ),
    actionButton(labels.sendCorrection, actionIds.sendCorrection, { jobId: job.id, messageTs }),
  );
}

/** In place of the offer, when it was taken. */
export function correctionSentView(): SlackMessage {
  return message(paragraph(mrkdwn`✏️ *The correction goes to the agent.*`));
}
