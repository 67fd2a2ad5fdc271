import { TEXT_HEADING } from '../../../jobs/recipes/fill.ts';
import { isBlank } from '../../../jobs/requests/prompt.ts';
import { aboutLine, withNotes } from '../texts/about.ts';

/** What a request about a message begins with, and the message itself, each as the agent reads it. */
export interface AboutMessage {
  readonly start: string;
  readonly quoted: string;
}

export function aboutMessage(text: string, permalink: string | null): AboutMessage {
  const place = permalink === null ? '' : ` (${permalink})`;
  return { start: `${aboutLine(place)}\n`, quoted: text.replace(/^/gm, '> ') };
}

/** A request as people read it: without what is there for the agent alone. */
export interface ReadRequest {
  readonly words: string;
  /** What came along as a quotation; null: nothing. */
  readonly notes: string | null;
  /** The address of the message that it is about; null: it is about none, or that is not said. */
  readonly permalink: string | null;
}

/** @param request as the agent reads it, unescaped */
export function asRead(request: string): ReadRequest {
  const { words, permalink } = withoutAbout(request);
  const [before = '', ...after] = words.split(`\n\n${TEXT_HEADING}\n`);
  const quoted = after.length === 1 ? after[0] : undefined;
  if (quoted === undefined || !quoted.startsWith('>')) return { words, notes: null, permalink };
  return { words: before, notes: unquoted(quoted), permalink };
}

/** The same in one text: an address is no title. Any other request as it is. */
export function whatItIsAbout(request: string): string {
  const { words, notes } = asRead(request);
  return notes === null ? words : `${words}\n\n${withNotes}\n${notes}`;
}

function withoutAbout(request: string): Pick<ReadRequest, 'words' | 'permalink'> {
  const [firstLine = ''] = request.split('\n', 1);
  const [place = '', permalink = null] = / \((https?:\/\/[^\s()]+)\)(?=:$)/.exec(firstLine) ?? [];
  if (firstLine !== aboutLine(place)) return { words: request, permalink: null };
  const message = unquoted(request.slice(firstLine.length)).trimStart();
  return isBlank(message) ? { words: request, permalink: null } : { words: message, permalink };
}

function unquoted(text: string): string {
  return text.replace(/^> ?/gm, '');
}
