import type { Job } from '../../../jobs/job.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import { messageOfJob } from '../list.ts';
import { message, openThreadButton, paragraph, type SlackMessage } from '../parts/message.ts';
import { asWritten, type Mrkdwn, mrkdwn, withFacts } from '../parts/mrkdwn.ts';
import {
  factsOfLink,
  httpUrl,
  previewButtons,
  progressOf,
  pullRequest,
  shortPullRequestLink,
  titleOf,
} from '../parts/pull-request.ts';
import { oneLine, promptTitle } from '../parts/untrusted.ts';
import { askerOf } from '../parts/words.ts';

/** What a notice channel reads. `link`: the pull request in short; null if it cannot be a link. */
const notices = {
  /** `name`: null if Slack does not give it. */
  public: (link: Mrkdwn | null, title: string, name: string | null): Mrkdwn => {
    const by = name === null ? mrkdwn`` : mrkdwn` · by ${asWritten(name)}`;
    return link === null
      ? mrkdwn`📝 *${asWritten(title)}*${by}`
      : mrkdwn`📝 ${link} · *${asWritten(title)}*${by}`;
  },
  private: (link: Mrkdwn | null): Mrkdwn => {
    const news = mrkdwn`*New documentation pull request*`;
    return link === null ? mrkdwn`📝 ${news}` : mrkdwn`📝 ${link} · ${news}`;
  },
} as const;

const NAME_MAX = 100;

/**
 * Tells a notice channel of a pull request.
 * @param permalink to the job's thread, or null if Slack did not give it
 * @param names Slack ids to names, for the requester and mentions in the prompt
 */
export function noticeView(
  job: Job,
  url: string,
  permalink: string | null,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  const threadUrl = permalink === null ? null : httpUrl(permalink);
  const name = askerOf(job, names);
  const facts = factsOfLink(job, url);
  const news = notices.public(
    shortPullRequestLink(url, sites),
    titleOf(facts) ?? promptTitle(job.prompt, names),
    name === null ? null : oneLine(name, NAME_MAX),
  );
  const view = message(
    paragraph(withFacts(news, progressOf(facts))),
    ...pullRequest(url, {
      style: 'primary',
      beside: [...previewButtons(facts), ...(threadUrl === null ? [] : [openThreadButton(threadUrl)])],
    }),
  );
  return messageOfJob(job, names, view);
}

/**
 * For a request that readers of the notice channel may not see: without its words, person and thread, and
 * without the pull request's title, which would give it away.
 */
export function privateNoticeView(
  job: Job,
  url: string,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  const news = notices.private(shortPullRequestLink(url, sites));
  return message(
    paragraph(withFacts(news, progressOf(factsOfLink(job, url)))),
    ...pullRequest(url, { style: 'primary' }),
  );
}
