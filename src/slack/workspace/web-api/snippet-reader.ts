import type { FilesInfoResponse } from '@slack/web-api';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { parseRetryAfterMs } from '../../../engine/runtime/exchange.ts';
import type { Snippet, SnippetProblem, Unsent } from '../../../jobs/requests/attachments.ts';
import { describedFile } from '../../messages/files.ts';
import type { BotToken, SlackCaller } from './caller.ts';
import { decodedText } from './decoded-text.ts';
import { LONGEST_RETRY_AFTER_MS, SlackCallError } from './failure.ts';

const SLACK = 'https://slack.com';
/** Slack's own, and the government's; in tests, files are served with the API. */
const FILES_ORIGINS: ReadonlyMap<string, string> = new Map([
  [SLACK, 'https://files.slack.com'],
  ['https://slack-gov.com', 'https://files.slack-gov.com'],
]);
const TIMEOUT_MS = 10_000;
/** In UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4;

/**
 * `name`: if Slack says it only now. `kind`: it is no text. `retryAfterMs`: Slack could not be reached, or is
 * at its limits.
 */
export type SnippetContent =
  | { readonly text: string; readonly name?: string }
  | Unsent
  | { readonly problem: SnippetProblem }
  | { readonly retryAfterMs: number | null };

export class SnippetReader {
  private readonly call: SlackCaller;
  private readonly botToken: BotToken;
  private readonly filesOrigin: string;

  constructor(call: SlackCaller, botToken: BotToken, apiUrl: string | null) {
    this.call = call;
    this.botToken = botToken;
    const { origin } = new URL(apiUrl ?? SLACK);
    this.filesOrigin = FILES_ORIGINS.get(origin) ?? origin;
  }

  /** Throws SlackCallError only if there is no token. */
  async read(snippet: Snippet, maxLength: number): Promise<SnippetContent> {
    const { fileId, text } = snippet;
    if (text !== undefined || fileId === undefined) return this.readDescribed(snippet, maxLength);
    try {
      const found = describedFile((await this.call<FilesInfoResponse>('files.info', { file: fileId })).file);
      if ('unsent' in found) return found.unsent;
      return { name: found.snippet.name, ...(await this.readDescribed(found.snippet, maxLength)) };
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { outcome, code, needsAdmin, retryAfterMs } = error.failure;
      if (outcome === 'refused' || code === 'missing_scope') return { problem: 'unreadable' };
      if (needsAdmin) throw error;
      return { retryAfterMs };
    }
  }

  private async readDescribed({ url, text, size = 0 }: Snippet, maxLength: number): Promise<Download> {
    if (text !== undefined) return text.length > 2 * maxLength ? { problem: 'too_long' } : { text };
    return size > maxLength * MAX_BYTES_PER_CHARACTER
      ? { problem: 'too_long' }
      : this.download(url, maxLength);
  }

  /**
   * The URL is not trusted, and the token goes along: only Slack's own server is asked, without redirections.
   * Without the scope `files:read`, Slack answers with a sign-in page.
   */
  private async download(address: string | null, maxLength: number): Promise<Download> {
    const url = address === null ? null : URL.parse(address);
    const isSlacks = url?.origin === this.filesOrigin && url.username === '' && url.password === '';
    if (url === null || !isSlacks) return { problem: 'unreadable' };
    const token = await this.botToken();
    try {
      return await systemClock.abortAfter(TIMEOUT_MS, async (signal) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(url, { headers, redirect: 'manual', signal });
        const content = await contentOf(response, maxLength);
        await response.body?.cancel();
        return content;
      });
    } catch {
      return { retryAfterMs: null };
    }
  }
}

type Download = Exclude<SnippetContent, Unsent>;

async function contentOf(response: Response, maxLength: number): Promise<Download> {
  const { status, headers } = response;
  if (status === 429) {
    const [retryAfter, date] = ['retry-after', 'date'].map((name) => headers.get(name) ?? undefined);
    const askedMs = parseRetryAfterMs(retryAfter, date, Date.now(), LONGEST_RETRY_AFTER_MS);
    return { retryAfterMs: askedMs || null };
  }
  if (status >= 500) return { retryAfterMs: null };
  const type = headers.get('content-type') ?? '';
  const isDownload = headers.get('content-disposition')?.startsWith('attachment') ?? false;
  // A page is the sign-in page; a file that is one is served as a download.
  if (status !== 200 || (type.includes('text/html') && !isDownload)) return { problem: 'unreadable' };
  const maxBytes = maxLength * MAX_BYTES_PER_CHARACTER;
  if (Number(headers.get('content-length')) > maxBytes) return { problem: 'too_long' };
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return { problem: 'too_long' };
    chunks.push(chunk);
  }
  const charset = /charset=["']?([\w.:-]{2,40})/i.exec(type)?.[1] ?? null;
  const text = decodedText(Buffer.concat(chunks), charset);
  return text === null ? { problem: 'no_text' } : { text };
}
