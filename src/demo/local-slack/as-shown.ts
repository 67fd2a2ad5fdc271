const DATE = /<!date\^(\d+)\^\{time\}\|[^<>]*>/g;
const TOKEN = /<[^<>]*>/g;
const ENTITY = /&(?:amp|lt|gt);/g;
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** What local-slack's page takes for markup, or for a part of it. */
const MARKUP = /<(?:[@#!]|https?:)|\||^>/m;

/**
 * The mrkdwn with what local-slack's page does not know put as Slack would show it: times of day in this
 * machine's time zone instead of date markup, and characters instead of entities. `&lt;` and `&gt;` stay where
 * the characters could become markup on that page.
 */
export function asShown(mrkdwn: string): string {
  const dated = mrkdwn.replace(DATE, (_date, seconds: string) => timeOfDay(Number(seconds)));
  const isHarmless = !MARKUP.test(decode(dated.replace(TOKEN, ' ')));
  return isHarmless ? decode(dated) : dated.replaceAll('&amp;', '&');
}

/** The form of a `chat.postMessage` or `chat.update` call with its text and its mrkdwn objects as shown. */
export function formAsShown(form: string): string {
  const fields = new URLSearchParams(form);
  const text = fields.get('text');
  if (text !== null) fields.set('text', asShown(text));
  const blocks = fields.get('blocks');
  if (blocks !== null) fields.set('blocks', JSON.stringify(JSON.parse(blocks, reviveAsShown)));
  return fields.toString();
}

function reviveAsShown(_key: string, value: unknown): unknown {
  const isMrkdwn = typeof value === 'object' && value !== null && 'type' in value && value.type === 'mrkdwn';
  if (!isMrkdwn || !('text' in value) || typeof value.text !== 'string') return value;
  return { ...value, text: asShown(value.text) };
}

function timeOfDay(seconds: number): string {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function decode(text: string): string {
  return text.replace(ENTITY, (entity) => characters[entity] ?? entity);
}
