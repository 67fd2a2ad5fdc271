import { stringify } from 'node:querystring';
import type { Logger as BoltLogger } from '@slack/bolt';
import {
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { Agent } from 'undici';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { exchange, parseJson, SEND_WITHIN_MS } from '../../../engine/runtime/exchange.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import type { SlackMessage } from '../../views/parts/message.ts';

const TIMEOUT_MS = 10_000;
/** At once. A single job may have a hundred receipts to show. */
const CONNECTIONS = 100;
/** Serves the URLs for answers to requests. */
const ANSWERS_HOST = 'hooks.slack.com';
const SLACKS = 'https://slack.com';

/** No byte of the request went out; `cause` says why. */
export class NotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'NotSentError';
  }
}

/**
 * `fetch` for a `response_url`. The URL arrived with a request, so it is not trusted: a message goes only to
 * Slack's server (or `apiUrl`'s), without redirections.
 */
export function answerFetch(apiUrl: string | null): typeof globalThis.fetch {
  return async (address, init) => {
    const url = URL.parse(String(address));
    const { protocol, hostname } = new URL(apiUrl ?? SLACKS);
    const isSlacks =
      url !== null &&
      url.username === '' &&
      url.password === '' &&
      (url.protocol === 'https:' || url.protocol === protocol) &&
      // The Slack for governments uses hooks.slack-gov.com.
      (apiUrl === null ? url.host === ANSWERS_HOST : [hostname, `hooks.${hostname}`].includes(url.hostname));
    if (!isSlacks) throw new Error("the response_url is not Slack's");
    // Not `abortAfter`: the caller reads the body, and the limit must cover that.
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * A Slack client that sends each request once, and only in time (`SEND_WITHIN_MS`): the SDK's retries would
 * double posts, and its wait at a rate limit would hold up every channel. The queue retries. It also skips
 * the SDK's logging, which takes longer than the request.
 */
export class PostingClient extends WebClient {
  private readonly dispatcher = new Agent({ connections: CONNECTIONS });
  private readonly boltLogger: BoltLogger;
  private readonly timeoutMs: number;

  constructor(apiUrl: string | null, logger: BoltLogger, timeoutMs = TIMEOUT_MS) {
    super(undefined, { ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }), logger });
    this.boltLogger = logger;
    this.timeoutMs = timeoutMs;
  }

  override async apiCall(method: string, { token, ...args }: Arguments = {}): Promise<WebAPICallResult> {
    const { head, body } = await this.post(method, token, args);
    const { status, headers } = head;
    const retryAfterSeconds = Number.parseInt(String(headers['retry-after']), 10);
    if (status === 429 && retryAfterSeconds >= 0) throw new WebAPIRateLimitedError(retryAfterSeconds);
    if (status !== 200) throw new WebAPIHTTPError(status, '', {}, body);
    const parsed = parseJson(body);
    const isResult = typeof parsed === 'object' && parsed !== null && 'ok' in parsed;
    const result: WebAPICallResult & { readonly error?: unknown } = isResult
      ? (parsed as WebAPICallResult)
      : { ok: false, error: body };
    const { ok, response_metadata: said = {} } = result;
    for (const message of said.messages ?? [])
      if (message.startsWith('[ERROR]')) this.boltLogger.error(message);
    if (!ok) throw new WebAPIPlatformError({ ...result, error: String(result.error) });
    const { 'x-oauth-scopes': scopes, date } = headers;
    const granted =
      typeof scopes === 'string' ? { scopes: scopes.split(',').map((scope) => scope.trim()) } : {};
    return { ...result, response_metadata: { ...said, ...granted, ...(date && { date }) } };
  }

  private async post(method: string, token: unknown, args: Arguments) {
    const { origin, pathname } = new URL(method, this.slackApiUrl);
    const authorization = typeof token === 'string' ? { authorization: `Bearer ${token}` } : {};
    const headers = { ...HEADERS, ...authorization };
    // Slack takes non-scalar arguments as JSON.
    const fields = Object.entries(args)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
    const body = stringify(Object.fromEntries(fields));
    const request = { origin, path: pathname, method: 'POST', headers, body } as const;
    const sendByMs = Date.now() + SEND_WITHIN_MS;
    const result = await systemClock.abortAfter(this.timeoutMs, (signal) =>
      exchange(this.dispatcher, request, { signal, sendByMs }),
    );
    if (result.kind === 'not_sent') throw new WebAPIRequestError(new NotSentError(result.cause));
    if (result.cause !== null) throw new WebAPIRequestError(result.cause);
    const { status } = result.head;
    if (status >= 300 && status < 400) {
      throw new WebAPIRequestError(new Error('Slack redirects the request, which is not followed'));
    }
    return result;
  }
}

const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': 'docs-agent',
};

/**
 * Answers a request privately, where it was made. False: Slack refused it there. @param fetchAnswer see
 * `answerFetch`
 */
export async function respond(
  fetchAnswer: typeof fetch,
  responseUrl: string,
  { text, blocks }: SlackMessage,
): Promise<boolean> {
  try {
    const response = await fetchAnswer(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response_type: 'ephemeral', text, blocks }),
    });
    const answer = (await response.text()).trim();
    // Slack answers `ok`, or `{"ok":true}`; a proxy's page has status 200, too.
    return response.ok && /^(ok|\{\s*"ok"\s*:\s*true\b.*)?$/s.test(answer);
  } catch {
    // The direct message is the fallback.
    return false;
  }
}

type BoltLevel = ReturnType<BoltLogger['getLevel']>;

/**
 * Logs what Slack's libraries say, as `slack_library` events without payloads. Their debug level writes whole
 * messages, so it is dropped, and they cannot set a level or a name. Nobody can act on their info level.
 */
export function boltLogger(logger: Logger): BoltLogger {
  return {
    debug: () => {},
    info: (...parts: unknown[]) => logger.debug('slack_library', described(parts)),
    warn: (...parts: unknown[]) => logger.warn('slack_library', described(parts)),
    error: (...parts: unknown[]) => logger.error('slack_library', described(parts)),
    // The libraries ask this to decide whether to build payloads for `debug`.
    getLevel: () => 'info' as BoltLevel,
    setLevel: () => {},
    setName: () => {},
  };
}

function described(parts: readonly unknown[]) {
  const words = parts.map((part) => {
    if (!(part instanceof Error))
      return typeof part === 'object' && part !== null ? '[object]' : String(part);
    return `${part.name}: ${part.message}${'code' in part ? ` (${String(part.code)})` : ''}`;
  });
  return { detail: words.join(' ') };
}
