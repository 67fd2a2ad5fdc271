import type { Job } from '../../jobs/job.ts';
import { httpUrl } from './http-url.ts';
import { message, openThreadButton, paragraph, quotation, type SlackMessage, smallPrint } from './message.ts';
import { mrkdwn, userMention } from './mrkdwn.ts';
import { pullRequest } from './pull-request.ts';
import { oneLine, promptTitle } from './untrusted.ts';

const FACT_MAX = 100;

/**
 * Tells a notice channel of a pull request.
 * @param permalink the address of the job's thread, or null if Slack did not give it
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function noticeView(
  job: Job,
  url: string,
  permalink: string | null,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  const threadUrl = permalink === null ? null : httpUrl(permalink);
  return message(
    paragraph(mrkdwn`📝 *New pull request*`),
    quotation(promptTitle(job.prompt, names)),
    smallPrint(
      mrkdwn`Asked by ${userMention(job.requesterId)}`,
      `Project ${oneLine(job.projectId, FACT_MAX)}`,
    ),
    pullRequest(url, 'primary'),
    ...(threadUrl === null ? [] : [openThreadButton(threadUrl)]),
  );
}
