import type { Announcement } from '../../../src/jobs/announcement.ts';
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
    case 'announce':
      return `thread: ${newsOf(request.announcement, startMs)}`;
    case 'notify_channel':
      return `notice in ${request.channelId}: ${request.url}`;
    case 'tell_requester':
      return `requester: ${request.reason}`;
    case 'whisper':
      return `whisper to ${request.userId}: ${request.whisper.kind}`;
  }
}

export function newsOf(announcement: Announcement, startMs: number): string {
  switch (announcement.kind) {
    case 'started':
      return `started turn ${announcement.turn}`;
    case 'finished':
      return `finished, pull request: ${announcement.files}`;
    case 'other_status':
      return `other status ${announcement.status}`;
    case 'pull_request':
      return `${announcement.changed ? 'changed' : 'first'} pull request ${announcement.url}`;
    case 'trouble':
      return `${announcement.trouble} until ${(announcement.retryAtMs - startMs) / 1000} s`;
    case 'create_rejected':
      return `create rejected: ${announcement.message}`;
    case 'message_rejected':
      return `${announcement.count} rejected: ${announcement.message}`;
    case 'message_unknown':
      return `${announcement.count} unknown`;
    case 'long_running':
      return `long running since ${(announcement.sinceMs - startMs) / 1000} s`;
    case 'follow_up':
      return `follow-up by ${announcement.userId}: ${announcement.text}`;
    case 'files_not_sent':
      return `not sent: ${announcement.files.join(', ')}`;
    case 'snippets_not_sent':
      return `not sent: ${announcement.snippets.map(({ name, problem }) => `${name} ${problem}`).join(', ')}`;
    case 'notice_failed':
      return `notice failed in ${announcement.channelId}: ${announcement.reason}`;
    case 'muted':
    case 'unmuted':
      return `${announcement.kind} by ${announcement.userId}`;
    case 'caught_up':
      return `${announcement.count} old replies found`;
    case 'continued':
    case 'failed':
    case 'archived':
    case 'vanished':
    case 'recovered':
    case 'create_unknown':
    case 'no_such_job':
      return announcement.kind;
  }
}
