import type { Announcement } from '../announcement.ts';
import type { Job } from '../job.ts';
import type { OfferSubject } from '../offer.ts';

/** The decision that the announcement asks for; null: none. */
export function offerOf(
  announcement: Announcement,
  { creates, watchedAgentJobId }: Pick<Job, 'creates' | 'watchedAgentJobId'>,
): OfferSubject | null {
  switch (announcement.kind) {
    case 'draft':
      return { kind: 'draft', number: announcement.number };
    case 'failed':
    case 'vanished':
    case 'create_rejected':
      return watchedAgentJobId === null ? { kind: 'start', creates } : null;
    case 'create_unknown':
      return { kind: 'start', creates, callId: announcement.callId };
    case 'message_rejected': {
      const { action, callId, count } = announcement;
      if (action === 'edit_and_start') return { kind: 'start', creates };
      const isStart = action === 'start_again' && watchedAgentJobId === null;
      return isStart ? { kind: 'start', creates, callId } : { kind: 'send', callId, count };
    }
    case 'message_unknown':
      return { kind: 'send', callId: announcement.callId, count: announcement.count };
    case 'turn_ended': {
      const { undelivered } = announcement;
      return undelivered === null ? null : { kind: 'send', callId: null, count: undelivered.count };
    }
    case 'long_running':
      return { kind: 'watch', question: announcement.question };
    case 'reminder': {
      const { reminderId, url } = announcement;
      return { kind: 'reminder', reminderId, url };
    }
    default:
      return null;
  }
}
