import type { FilesInfoResponse } from '@slack/web-api';
import {
  type NotSent,
  PICTURES_MAX,
  PICTURES_MAX_BYTES,
  type SentPicture,
  type Snippet,
  type SnippetProblem,
  type UnsentFile,
} from '#jobs/requests/attachments.ts';
import { unescaped } from '#jobs/requests/command.ts';
import { systemClock } from '#runtime/clock.ts';
import { parseRetryAfterMs } from '#runtime/exchange.ts';
import { describedFile } from '../messages/attachments.ts';
import { type BotToken, failureIn, LONGEST_RETRY_AFTER_MS, type SlackCaller } from './caller.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES_PER_CHARACTER = 4;
/** How they begin: names and MIME types are untrusted. */
const PICTURES = new Map([
  ['89504e', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946', 'image/gif'],
  ['524946', 'image/webp'],
]);

type Failure = { readonly problem: SnippetProblem } | { readonly retryAfterMs: number | null };

type Download = { readonly bytes: Buffer; readonly charset: string | null } | Failure;

/** Unsent: it is no text. */
type SnippetContent = (({ readonly text: string } | Failure) & { readonly name?: string }) | UnsentFile;

const TOO_LONG = { problem: 'too_long' } as const;

export class SnippetReader {
  private readonly call: SlackCaller;
  private readonly botToken: BotToken;
  private readonly filesOrigin: string;

  constructor(call: SlackCaller, botToken: BotToken, apiUrl: string | null) {
    this.call = call;
    this.botToken = botToken;
    const { origin } = new URL(apiUrl ?? 'https://slack.com');
    // In tests, the API's server also serves files.
    const isSlack = ['https://slack.com', 'https://slack-gov.com'].includes(origin);
    this.filesOrigin = isSlack ? origin.replace('//', '//files.') : origin;
  }

  async read(snippet: Snippet, maxLength: number): Promise<SnippetContent> {
    const { fileId, text } = snippet;
    if (text !== undefined || fileId === undefined) return this.readText(snippet, maxLength);
    try {
      const found = describedFile((await this.call<FilesInfoResponse>('files.info', { file: fileId })).file);
      return 'kind' in found ? found : { name: found.name, ...(await this.readText(found, maxLength)) };
    } catch (error) {
      const { outcome, code, needsAdmin, retryAfterMs } = failureIn(error);
      if (outcome === 'refused' || code === 'missing_scope') return { problem: 'unreadable' };
      if (needsAdmin) throw error;
      return { retryAfterMs };
    }
  }

  /** Side by side. */
  readPictures(pictures: readonly Snippet[]): Promise<(SentPicture | NotSent)[]> {
    let freeBytes = PICTURES_MAX_BYTES;
    const read = async (
      { name, url, size = freeBytes }: Snippet,
      index: number,
    ): Promise<SentPicture | NotSent> => {
      if (index >= PICTURES_MAX || size > freeBytes) return { name, problem: 'too_many' };
      freeBytes -= size;
      const content = await this.download(url, size).catch(() => null);
      if (content === null || !('bytes' in content)) return { name, problem: 'unreadable' };
      const { bytes } = content;
      const mimeType = PICTURES.get(bytes.toString('hex', 0, 3));
      if (mimeType === undefined) return { name, problem: 'not_taken' };
      return { name: unescaped(name), mimeType, data: bytes.toString('base64') };
    };
    return Promise.all(pictures.map(read));
  }

  private async readText({ url, text, size = 0 }: Snippet, maxLength: number) {
    if (text !== undefined) return text.length > 2 * maxLength ? TOO_LONG : { text };
    const maxBytes = maxLength * MAX_BYTES_PER_CHARACTER;
    const content = size > maxBytes ? TOO_LONG : await this.download(url, maxBytes);
    if (!('bytes' in content)) return content;
    const read = decodedText(content.bytes, content.charset);
    return read === null ? ({ problem: 'no_text' } as const) : { text: read };
  }

  /**
   * The URL is untrusted: only Slack's own server gets the token. Without the scope `files:read`, Slack
   * answers with a sign-in page.
   */
  private async download(address: string | null, maxBytes: number): Promise<Download> {
    const url = address === null ? null : URL.parse(address);
    const isSlacks = url?.origin === this.filesOrigin && url.username === '' && url.password === '';
    if (!isSlacks) return { problem: 'unreadable' };
    const token = await this.botToken();
    try {
      return await systemClock.abortAfter(TIMEOUT_MS, async (signal) => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(url, { headers, redirect: 'manual', signal });
        const content = await contentOf(response, maxBytes);
        await response.body?.cancel();
        return content;
      });
    } catch {
      return { retryAfterMs: null };
    }
  }
}

async function contentOf({ status, headers, body }: Response, maxBytes: number): Promise<Download> {
  if (status === 429) {
    const [retryAfter, date] = ['retry-after', 'date'].map((name) => headers.get(name) ?? undefined);
    return { retryAfterMs: parseRetryAfterMs(retryAfter, date, Date.now(), LONGEST_RETRY_AFTER_MS) || null };
  }
  if (status >= 500) return { retryAfterMs: null };
  const type = headers.get('content-type') ?? '';
  const isDownload = headers.get('content-disposition')?.startsWith('attachment') ?? false;
  // HTML is the sign-in page, unless served as a download.
  if (status !== 200 || (type.includes('text/html') && !isDownload)) return { problem: 'unreadable' };
  if (Number(headers.get('content-length')) > maxBytes) return TOO_LONG;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return TOO_LONG;
    chunks.push(chunk);
  }
  const charset = /charset=["']?([\w.:-]{2,40})/i.exec(type)?.[1] ?? null;
  return { bytes: Buffer.concat(chunks), charset };
}

/** Binary files without a NUL near the start, as Latin-1. */
const BINARY = [
  '%PDF-',
  'PK\u0003\u0004',
  '\u0089PNG',
  'GIF8',
  '\u00ff\u00d8\u00ff',
  '\u001f\u008b',
  '{\\rtf',
];
/** Byte order marks, as Latin-1. */
const MARKS = [
  ['\u00ef\u00bb\u00bf', 'utf-8'],
  ['\u00ff\u00fe', 'utf-16le'],
  ['\u00fe\u00ff', 'utf-16be'],
] as const;
const DECLARED =
  /^(?:\s{0,10}<\?xml[^>]{0,200}encoding=|\s{0,10}<(?:!doctype )?html[\s\S]{0,800}?<meta[^>]{0,200}charset=|@charset |(?:[^\n]{0,200}\n)?#[^\n]{0,40}coding[:=])\s{0,3}["']?([\w.:-]{2,40})/i;
const DECLARED_WITHIN = 1_024;
/** Fits any bytes, and no text is UTF-8 by chance: its declaration proves nothing. */
const FALLBACK = 'windows-1252';
/** Per hundred characters; a coloured log has fewer. */
const MAX_CONTROLS = 2;
/** Except line ends, tabs and the escape of terminal colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it counts
const CONTROLS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]/g;

/** Null: no text. @param charset from the server */
export function decodedText(bytes: Buffer, charset: string | null): string | null {
  const start = bytes.subarray(0, DECLARED_WITHIN).toString('latin1');
  if (BINARY.some((begin) => start.startsWith(begin))) return null;
  const [, mark] = MARKS.find(([begin]) => start.startsWith(begin)) ?? [];
  const declared = [DECLARED.exec(start)?.[1], charset].filter((one) => decoder(one)?.encoding !== FALLBACK);
  for (const guess of mark === undefined ? [...declared, 'utf-8', FALLBACK] : [mark]) {
    try {
      const text = decoder(guess)?.decode(bytes) ?? null;
      if (text !== null && isReadable(text)) return text;
    } catch {
      // The encoding does not fit the bytes.
    }
  }
  return null;
}

function decoder(charset: string | null | undefined) {
  try {
    return charset == null ? null : new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
}

function isReadable(text: string) {
  return !text.includes('\u0000') && (text.match(CONTROLS)?.length ?? 0) * 100 <= text.length * MAX_CONTROLS;
}
