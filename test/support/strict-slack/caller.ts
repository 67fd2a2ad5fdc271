import type { StrictSlack } from '../strict-slack.ts';

/** What the Web API answered, with its HTTP status. */
export interface ApiAnswer {
  readonly status: number;
  readonly ok?: boolean;
  readonly error?: string;
  readonly ts?: string;
  readonly messages?: readonly {
    readonly ts: string;
    readonly text: string;
    readonly metadata?: unknown;
    readonly [field: string]: unknown;
  }[];
  readonly has_more?: boolean;
  readonly response_metadata?: { readonly next_cursor?: string; readonly messages?: readonly string[] };
  readonly [field: string]: unknown;
}

export type Caller = (method: string, args?: Readonly<Record<string, unknown>>) => Promise<ApiAnswer>;

/** Calls the Web API directly, as the bot unless another token (or null: none) is given. */
export function callerOf({ apiUrl, botToken }: StrictSlack, token: string | null = botToken): Caller {
  return async (method, args = {}) => {
    const response = await fetch(apiUrl + method, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
  };
}

/** Posts and returns the `ts`; throws if Slack refuses. */
export async function posted(call: Caller, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { ts, error } = await call('chat.postMessage', args);
  if (ts === undefined) throw new Error(`not posted: ${error}`);
  return ts;
}
