import { isBlank } from '../../../jobs/requests/prompt.ts';
import { aboutLine } from '../texts/about.ts';

/** What a request about a message begins with, and the message itself, each as the agent reads it. */
export interface AboutMessage {
  readonly start: string;
  readonly quoted: string;
}

export function aboutMessage(text: string, permalink: string | null): AboutMessage {
  const place = permalink === null ? '' : ` (${permalink})`;
  return { start: `${aboutLine(place)}\n`, quoted: text.replace(/^/gm, '> ') };
}

/** The request by the message that it is about: an address is no title. Any other request as it is. */
export function whatItIsAbout(request: string): string {
  const [firstLine = ''] = request.split('\n', 1);
  const place = / \(https?:\/\/[^\s()]+\)(?=:$)/.exec(firstLine)?.[0] ?? '';
  if (firstLine !== aboutLine(place)) return request;
  const message = request.slice(firstLine.length).replace(/^> ?/gm, '').trimStart();
  return isBlank(message) ? request : message;
}
