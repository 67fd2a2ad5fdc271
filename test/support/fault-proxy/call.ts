/** A call of the Web API, as the bot made it. */
export interface SlackCall {
  readonly method: string;
  /** The arguments, with `blocks`, `metadata` and other JSON fields decoded. */
  readonly args: Readonly<Record<string, unknown>>;
  /** From the `Authorization` header. */
  readonly token: string | null;
}

/** The fields that Slack's client sends as JSON text within a form. */
const jsonFields = new Set(['attachments', 'blocks', 'loading_messages', 'metadata', 'view']);

export function decodeCall(method: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): SlackCall {
  const token = /^Bearer (.+)$/.exec(headers.authorization?.toString() ?? '')?.[1] ?? null;
  const contentType = headers['content-type']?.toString() ?? '';
  return { method, args: decodeArgs(contentType, body.toString('utf8')), token };
}

function decodeArgs(contentType: string, body: string): Record<string, unknown> {
  if (contentType.startsWith('application/json')) return JSON.parse(body);
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return {};
  const fields = [...new URLSearchParams(body)];
  return Object.fromEntries(
    fields.map(([name, value]) => [name, jsonFields.has(name) ? JSON.parse(value) : value]),
  );
}
