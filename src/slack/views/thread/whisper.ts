import type { FollowUpMode } from '../../../jobs/channel-settings.ts';
import type { Job } from '../../../jobs/job.ts';
import type { Whisper } from '../../../jobs/whisper.ts';
import { actionIds } from '../../ids.ts';
import { actionButton, message, paragraph, type SlackMessage } from '../parts/message.ts';
import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { line } from '../parts/state.ts';
import { labels, signs } from '../parts/words.ts';

/** What one person is told in a job's thread, for their eyes only. */
export function whisperView(whisper: Whisper, job: Job, mode: FollowUpMode = 'every_reply'): SlackMessage {
  switch (whisper.kind) {
    case 'muted':
      return message(
        paragraph(
          line(
            signs.muted,
            mrkdwn`replies stay in this thread, and only those that mention me go to the agent. Reply \`unmute\` to end this.`,
          ),
        ),
      );
    case 'unmuted':
      return message(paragraph(line(signs.unmuted, unmuted(mode))));
    case 'edited_after_sending':
      return message(
        paragraph(
          mrkdwn`✏️ *Edited after it was sent* · the agent still has your earlier text. *${labels.sendCorrection}* sends the reply as it reads now.`,
        ),
        actionButton(labels.sendCorrection, actionIds.sendCorrection, {
          jobId: job.id,
          messageTs: whisper.messageTs,
        }),
      );
  }
}

function unmuted(mode: FollowUpMode): Mrkdwn {
  return mode === 'mentions'
    ? mrkdwn`in this channel, only replies that mention me go to the agent.`
    : mrkdwn`replies go to the agent again.`;
}

/** In place of the offer, when it was taken. */
export function correctionSentView(): SlackMessage {
  return message(paragraph(mrkdwn`✏️ *The correction goes to the agent.*`));
}
