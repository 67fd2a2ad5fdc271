import type { SnippetProblem } from '../../jobs/attached.ts';
import type { BotToken } from './caller.ts';

const SLACK_FILES_HOST = 'files.slack.com';
const TIMEOUT_MS = 10_000;
/** Of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4;

/** `later`: Slack could not be reached, or is at its limits. */
export type SnippetContent =
  | { readonly text: string }
  | { readonly problem: SnippetProblem }
  | { readonly retryAfterMs: number | null };

/** Reads texts that people sent along in Slack. */
export class SnippetReader {
  private readonly botToken: BotToken;
  /** Of another Slack, in tests; null: Slack's own. */
  private readonly otherOrigin: string | null;

  constructor(botToken: BotToken, apiUrl: string | null) {
    this.botToken = botToken;
    this.otherOrigin = apiUrl === null ? null : new URL(apiUrl).origin;
  }

  /**
   * The address comes from outside, and the token goes along: only Slack's own server is asked, and it cannot send
   * the request on to another. Without the scope `files:read`, Slack answers with a page to sign in.
   * Throws SlackCallError only if there is no token.
   */
  async read(address: string, maxLength: number): Promise<SnippetContent> {
    const url = URL.parse(address);
    if (url === null || !this.isSlacks(url)) return { problem: 'unreadable' };
    const token = await this.botToken();
    try {
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const content = await contentOf(response, maxLength);
      await response.body?.cancel();
      return content;
    } catch {
      return { retryAfterMs: null };
    }
  }

  private isSlacks(url: URL): boolean {
    if (url.username !== '' || url.password !== '') return false;
    if (this.otherOrigin !== null) return url.origin === this.otherOrigin;
    return url.protocol === 'https:' && url.host === SLACK_FILES_HOST;
  }
}

async function contentOf(response: Response, maxLength: number): Promise<SnippetContent> {
  const { status, headers } = response;
  if (status === 429) return { retryAfterMs: Number(headers.get('retry-after')) * 1000 || null };
  if (status >= 500) return { retryAfterMs: null };
  if (status !== 200 || isPage(headers)) return { problem: 'unreadable' };
  const maxBytes = maxLength * MAX_BYTES_PER_CHARACTER;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return { problem: 'too_long' };
    chunks.push(chunk);
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)) };
}

/** The page to sign in; a file that is a page comes as a download. */
function isPage(headers: Headers): boolean {
  const isHtml = headers.get('content-type')?.includes('text/html') ?? false;
  return isHtml && !headers.get('content-disposition')?.startsWith('attachment');
}
