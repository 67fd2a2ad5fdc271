import type { Announcement, NewLink, TurnEnded } from '../../../src/jobs/announcement.ts';
import type { CallRequest } from '../../../src/jobs/call.ts';

/** A call in one line, for comparing; times are seconds since `startMs`. */
export function lineOf(request: CallRequest, startMs: number): string {
  switch (request.kind) {
    case 'post_card':
      return 'card';
    case 'create_job':
      return `create: ${request.prompt}`;
    case 'send_message':
      return `message to ${request.agentJobId}: ${request.prompt.replaceAll('\n', '↵')}`;
    case 'cancel_job':
      return `cancel ${request.agentJobId}`;
    case 'announce':
      return `thread: ${newsOf(request.announcement, startMs)}`;
    case 'notify_channel':
      return `notice in ${request.channelId}: ${request.url}`;
    case 'tell_paused':
      return `paused: ${request.recipe}`;
    case 'notify_requester':
      return `requester: ${request.reason}`;
    case 'complete_step':
      return `step: ${request.result.kind === 'error' ? request.result.problem.kind : request.result.state}`;
    case 'ephemeral':
      return `ephemeral to ${request.userId}: ${request.notice.kind}`;
  }
}

export function newsOf(announcement: Announcement, startMs: number): string {
  switch (announcement.kind) {
    case 'draft':
      return `draft ${announcement.number}`;
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
    case 'files_not_sent':
      return `not sent: ${announcement.files.map(({ kind, name }) => name ?? kind).join(', ')}`;
    case 'snippets_not_sent':
      return `not sent: ${announcement.snippets.map(({ name, problem }) => `${name} ${problem}`).join(', ')}`;
    case 'recipe_skipped':
      return `skipped ${announcement.recipe}`;
    case 'notice_failed':
      return `notice failed in ${announcement.channelId}: ${announcement.reason}`;
    case 'stopped':
    case 'muted':
    case 'unmuted':
    case 'unwatched':
      return `${announcement.kind} by ${announcement.userId}`;
    case 'caught_up':
      return `${announcement.count} old replies found`;
    case 'not_stopped':
    case 'keeps_changing':
    case 'started':
    case 'continued':
    case 'vanished':
    case 'recovered':
    case 'create_unknown':
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
