import type { CallRequest } from '../jobs/call.ts';
import type { Job } from '../jobs/job.ts';

/** What is stored as JSON, in text columns of both databases. Only this program writes them. */
type Document = Job | CallRequest;

export function toJson(document: Document): string {
  return JSON.stringify(document);
}

export function jobFromJson(json: string): Job {
  return JSON.parse(json) as Job;
}

export function requestFromJson(json: string): CallRequest {
  return JSON.parse(json) as CallRequest;
}
