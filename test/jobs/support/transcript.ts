import type { Announcement, NewLink, TurnEnded } from '../../../src/jobs/announcement.ts';

/** A message in one line, for comparing; times are seconds since `startMs`. */
export function newsOf(announcement: Announcement, startMs: number): string {
  switch (announcement.kind) {
    case 'turn_ended':
      return `finished, ${endOf(announcement)}`;
    case 'failed':
    case 'archived':
      return announcement.link === undefined
        ? announcement.kind
        : `${announcement.kind}, ${newLink(announcement.link)}`;
    case 'pull_request':
      return newLink(announcement.link);
    case 'trouble':
      return `${announcement.trouble} until ${(announcement.retryAtMs - startMs) / 1000} s`;
    case 'create_rejected':
      return `create rejected: ${announcement.message}`;
    case 'message_rejected':
      return `${announcement.count} rejected: ${announcement.message}`;
    case 'message_unknown':
      return `${announcement.count} unknown`;
    case 'long_running':
      return `long running for ${announcement.lastedMs / 3_600_000} h`;
    case 'pull_request_over':
      return `${announcement.state} by ${announcement.by ?? 'nobody known'}`;
    case 'reminder':
      return `reminder of ${announcement.url}`;
    case 'review_news':
      return announcement.news
        .map(({ kind, key, names }) =>
          kind === 'reviewers'
            ? `review wanted: ${names.map(({ name, userId }) => userId ?? name).join()}`
            : key,
        )
        .join(' and ');
    case 'follow_up':
      return `follow-up by ${announcement.userId}: ${announcement.text}`;
    case 'notice_failed':
      return `notice failed in ${announcement.channelId}: ${announcement.reason}`;
    case 'muted':
    case 'unmuted':
      return `${announcement.kind} by ${announcement.userId}`;
    case 'caught_up':
      return `${announcement.count} old replies found`;
    default:
      return announcement.kind;
  }
}

function endOf({ link }: TurnEnded): string {
  if (link === null) return 'no pull request';
  if (link.is === 'same') return 'same pull request';
  return newLink(link);
}

function newLink({ url, is }: NewLink) {
  return `${is === 'first' ? 'first' : 'changed'} pull request ${url}`;
}
