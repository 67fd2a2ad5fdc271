import type { Job } from '../../../jobs/job.ts';
import {
  message,
  openThreadButton,
  paragraph,
  quotation,
  type SlackMessage,
  smallPrint,
} from '../parts/message.ts';
import { mrkdwn, userMention } from '../parts/mrkdwn.ts';
import { httpUrl, pullRequest, pullRequestLink, shortPullRequestLink } from '../parts/pull-request.ts';
import { promptTitle } from '../parts/untrusted.ts';

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
  const address = pullRequestLink(url);
  const news = mrkdwn`📝 *New pull request*`;
  return message(
    paragraph(address === null ? news : mrkdwn`${news}: ${address}`),
    quotation(promptTitle(job.prompt, names)),
    smallPrint(mrkdwn`Asked by ${userMention(job.requesterId)}`),
    ...pullRequest(url, {
      style: 'primary',
      isSpoken: address === null,
      beside: threadUrl === null ? [] : [openThreadButton(threadUrl)],
    }),
  );
}

/** The same of a request that people of the notice channel may not read: neither its words, its person nor its thread. */
export function privateNoticeView(url: string): SlackMessage {
  const address = shortPullRequestLink(url);
  const news = mrkdwn`*New documentation pull request*`;
  return message(
    paragraph(address === null ? mrkdwn`📝 ${news}` : mrkdwn`📝 ${address} · ${news}`),
    ...pullRequest(url, { style: 'primary', isSpoken: address === null }),
  );
}
