import type { FilesInfoResponse } from '@slack/web-api';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { FileKind, Snippet, SnippetProblem } from '../../../jobs/requests/attachments.ts';
import { describedFile } from '../../messages/attachments.ts';
import type { BotToken, SlackCaller } from './caller.ts';
import { SlackCallError } from './failure.ts';

const SLACK = 'https://slack.com';
/** Slack's own, and the one for governments; another Slack, in tests, has its files where its API is. */
const FILES_ORIGINS: ReadonlyMap<string, string> = new Map([
  [SLACK, 'https://files.slack.com'],
  ['https://slack-gov.com', 'https://files.slack-gov.com'],
]);
const TIMEOUT_MS = 10_000;
/** Of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4;

/**
 * `name`: where Slack says it only now. `kind`: it is no text. `retryAfterMs`: Slack could not be reached, or is at its
 * limits.
 */
export type SnippetContent =
  | { readonly text: string; readonly name?: string }
  | { readonly kind: FileKind }
  | { readonly problem: SnippetProblem }
  | { readonly retryAfterMs: number | null };

/** Reads texts that people sent along in Slack. */
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
  async read({ url, fileId }: Snippet, maxLength: number): Promise<SnippetContent> {
    return fileId === undefined ? this.download(url, maxLength) : this.readUndescribed(fileId, maxLength);
  }

  private async readUndescribed(fileId: string, maxLength: number): Promise<SnippetContent> {
    try {
      const { file } = await this.call<FilesInfoResponse>('files.info', { file: fileId });
      const found = describedFile(file);
      if ('kind' in found) return found;
      const { name, url } = found.snippet;
      return { name, ...(await this.download(url, maxLength)) };
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { outcome, code, needsAdmin, retryAfterMs } = error.failure;
      if (outcome === 'refused' || code === 'missing_scope') return { problem: 'unreadable' };
      if (needsAdmin) throw error;
      return { retryAfterMs };
    }
  }

  /**
   * The address is not trusted, and the token goes along: only Slack's own server is asked, and no redirection is
   * followed. Without the scope `files:read`, Slack answers with a page to sign in.
   */
  private async download(address: string | null, maxLength: number): Promise<Download> {
    const url = address === null ? null : URL.parse(address);
    if (url === null || !this.isSlacks(url)) return { problem: 'unreadable' };
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

  private isSlacks(url: URL): boolean {
    return url.username === '' && url.password === '' && url.origin === this.filesOrigin;
  }
}

type Download = Exclude<SnippetContent, { readonly kind: FileKind }>;

async function contentOf(response: Response, maxLength: number): Promise<Download> {
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

/** The page to sign in; a file that is a page is served as a download. */
function isPage(headers: Headers): boolean {
  const isHtml = headers.get('content-type')?.includes('text/html') ?? false;
  return isHtml && !headers.get('content-disposition')?.startsWith('attachment');
}
