import { escapeMrkdwn, unescapeMrkdwn } from '../protocol/slack-text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An outside value's fields; none if it is no object. */
export function fieldsOf(given: unknown): Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Fields) : {};
}

export function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

export function stringOf(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

export function numberOf(given: unknown): number {
  return typeof given === 'number' ? given : 0;
}

/** Slack escapes some of these texts and others not; either way, each character ends up escaped once. */
export function plain(text: unknown): string {
  return escapeMrkdwn(unescapeMrkdwn(stringOf(text)));
}

/** @param label escaped */
export function linkToken(url: string, label: string): string {
  const address = escapeMrkdwn(unescapeMrkdwn(url)).replaceAll('|', '%7C');
  if (address === '') return label;
  return label === '' ? `<${address}>` : `<${address}|${label}>`;
}
