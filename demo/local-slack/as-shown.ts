import { escapeMrkdwn } from '../../src/slack/protocol/slack-text.ts';

const DATE = /<!date\^(\d+)\^([^|<>^]*)\|[^<>]*>/g;
const TOKEN = /<[^<>]*>/g;
const ENTITY = /&(?:amp|lt|gt);/g;
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** What local-slack's page takes for markup, or for a part of it. */
const MARKUP = /<(?:[@#!]|https?:)|\||^>/m;

/**
 * The mrkdwn as Slack would show it, for a page that knows neither date markup nor entities: dates and times in this
 * machine's time zone, and characters. `&lt;` and `&gt;` stay where the characters could become markup on that page.
 */
function asShown(mrkdwn: string): string {
  const dated = mrkdwn.replace(DATE, (_date, seconds: string, form: string) =>
    dayAndTime(Number(seconds), form),
  );
  const isHarmless = !MARKUP.test(decode(dated.replace(TOKEN, ' ')));
  return isHarmless ? decode(dated) : dated.replaceAll('&amp;', '&');
}

/** The form of a call with a message or a view, with its text and its mrkdwn objects as shown. */
export function formAsShown(form: string): string {
  const fields = new URLSearchParams(form);
  const text = fields.get('text');
  if (text !== null) fields.set('text', asShown(text));
  for (const name of ['blocks', 'view']) {
    const json = fields.get(name);
    if (json !== null) fields.set(name, JSON.stringify(JSON.parse(json, reviveAsShown)));
  }
  return fields.toString();
}

/** The JSON of a message as it is answered: its text and its mrkdwn objects as shown. */
export function messageAsShown(json: string): string {
  return JSON.stringify(withShownText(JSON.parse(json, reviveAsShown)));
}

/** The JSON of an acknowledgement, with a message or a view in it, or nothing. */
export function acknowledgementAsShown(json: string): string {
  const { payload, ...rest } = JSON.parse(json, reviveAsShown);
  return JSON.stringify(payload === undefined ? rest : { ...rest, payload: withShownText(payload) });
}

function withShownText(message: unknown): unknown {
  const hasText = typeof message === 'object' && message !== null && 'text' in message;
  return hasText && typeof message.text === 'string' ? { ...message, text: asShown(message.text) } : message;
}

function reviveAsShown(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value;
  if (value.type === 'rich_text') return quotationAsShown(value as unknown as Quotation);
  if (value.type !== 'mrkdwn' || !('text' in value) || typeof value.text !== 'string') return value;
  return { ...value, text: asShown(value.text) };
}

/** What people are quoted to have written is all the rich text that the program makes; that page shows none. */
interface Quotation {
  readonly block_id?: string;
  readonly elements: readonly { readonly elements: readonly { readonly text: string }[] }[];
}

function quotationAsShown({ block_id, elements }: Quotation): unknown {
  const written = elements.flatMap((quote) => quote.elements.map(({ text }) => text)).join('');
  const lines = written.split('\n').map((line) => `> ${asShown(escapeMrkdwn(line))}`);
  return { type: 'section', block_id, text: { type: 'mrkdwn', text: lines.join('\n') } };
}

/** Days are not called "today" here, as Slack does: a page that stays open would be wrong tomorrow. */
function dayAndTime(seconds: number, form: string): string {
  const date = new Date(seconds * 1000);
  const day = date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric' });
  return form
    .replace('{date_short_pretty}', day)
    .replace('{time}', timeOfDay(date))
    .replace('{ago}', `at ${timeOfDay(date)}`);
}

function timeOfDay(date: Date): string {
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function decode(text: string): string {
  return text.replace(ENTITY, (entity) => characters[entity] ?? entity);
}
