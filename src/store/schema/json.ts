import type { CallRequest } from '../../jobs/call.ts';
import type { Reply } from '../../jobs/event.ts';
import type { FollowUp } from '../../jobs/follow-up.ts';
import type { Job } from '../../jobs/job.ts';
import type { ChannelSettings } from '../../jobs/policy.ts';

/** What of a follow-up, and of an early reply, has no column of its own. */
export type FollowUpMore = Pick<
  FollowUp,
  'corrected' | 'isDeleted' | 'isCorrection' | 'snippets' | 'inlined'
>;
export type ReplyMore = Pick<Reply, 'mentionsBot' | 'attached'>;

/** What is stored as JSON, in text columns of both databases. Only this program writes them. */
type Document = Job | CallRequest | ChannelSettings | FollowUpMore | ReplyMore | readonly number[];

export function toJson(document: Document): string {
  return JSON.stringify(document);
}

export function jobFromJson(json: string): Job {
  return JSON.parse(json) as Job;
}

export function requestFromJson(json: string): CallRequest {
  return JSON.parse(json) as CallRequest;
}

export function settingsFromJson(json: string): ChannelSettings {
  return JSON.parse(json) as ChannelSettings;
}

export function followUpMoreFromJson(json: string): FollowUpMore {
  return JSON.parse(json) as FollowUpMore;
}

export function replyMoreFromJson(json: string): ReplyMore {
  return JSON.parse(json) as ReplyMore;
}

export function lengthsFromJson(json: string): number[] {
  return JSON.parse(json) as number[];
}
