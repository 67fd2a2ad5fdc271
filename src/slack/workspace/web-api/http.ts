import type { Logger as BoltLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { Agent, type Dispatcher, request } from 'undici';
import { SEND_WITHIN_MS, TooLateToSendError } from '../../../engine/runtime/send-limit.ts';

const TIMEOUT_MS = 10_000;
/** Of the addresses at which Slack takes answers to requests. */
const ANSWERS_HOST = 'hooks.slack.com';

/** No byte of the request went out; `cause` says why. */
export class NotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'NotSentError';
  }
}

/**
 * As much of `fetch` as Slack's client needs, at half the cost. A request that cannot go out in time
 * (`SEND_WITHIN_MS`) is never sent: it fails with a TooLateToSendError. A timer cannot guarantee that: after a
 * freeze, sockets are served before timers.
 */
function fetchInTime(): typeof globalThis.fetch {
  const dispatcher = new Agent().compose(
    (dispatch) => (options, handler) => dispatch(options, inTime(handler, Date.now() + SEND_WITHIN_MS)),
  );
  return async (url, init = {}) => {
    const { headers, body, signal } = init;
    const answer = await request(String(url), {
      dispatcher,
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body as string,
      signal: signal ?? null,
    });
    const text = await answer.body.text();
    const isRedirection = answer.statusCode >= 300 && answer.statusCode < 400;
    if (isRedirection) throw new Error('Slack redirects the request, which is not followed');
    return new Response(text, { status: answer.statusCode, headers: singleHeaders(answer.headers) });
  };
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((single): [string, string] => [name, single]),
  );
}

function inTime(handler: Dispatcher.DispatchHandler, sendByMs: number): Dispatcher.DispatchHandler {
  let isSent = false;
  return {
    // undici calls this right before it writes to a connected socket: until then, Slack has not seen the request.
    onRequestStart: (controller, context) => {
      handler.onRequestStart?.(controller, context);
      if (controller.aborted) return;
      if (Date.now() > sendByMs) controller.abort(new TooLateToSendError());
      else isSent = true;
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (controller, error) =>
      handler.onResponseError?.(controller, isSent ? error : new NotSentError(error)),
  };
}

/**
 * `fetch` for a `response_url`. The address arrived with a request, so it is not trusted: a message goes to the server
 * of Slack only (`apiUrl`: of another Slack), and follows no redirection.
 */
export function answerFetch(apiUrl: string | null): typeof globalThis.fetch {
  return async (address, init) => {
    const url = URL.parse(String(address));
    if (url === null || !isAnswerAddress(url, apiUrl)) throw new Error("the response_url is not Slack's");
    // Not `abortAfter`: the caller reads the body, and the limit must hold for that, too.
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
}

function isAnswerAddress(url: URL, apiUrl: string | null): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (apiUrl === null) return url.protocol === 'https:' && url.host === ANSWERS_HOST;
  const { protocol, hostname } = new URL(apiUrl);
  const isSafe = url.protocol === 'https:' || url.protocol === protocol;
  // The Slack for governments has its addresses at hooks.slack-gov.com.
  return isSafe && [hostname, `hooks.${hostname}`].includes(url.hostname);
}

/**
 * Sends each request once: the SDK's retries would double posts, and its waiting at a rate limit would hold up every
 * channel. The due queue retries.
 */
export function createPostingClient(apiUrl: string | null, logger: BoltLogger): WebClient {
  return new WebClient(undefined, {
    ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
    // What fails is thrown, and reported by the caller.
    logger: { ...logger, warn: logger.info },
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    fetch: fetchInTime(),
  });
}

/** A `response_url` that took the message says `ok`, or `{"ok":true}`; a proxy's page has the status 200, too. */
export function isYes(body: string): boolean {
  return /^(ok|\{\s*"ok"\s*:\s*true\b.*)?$/s.test(body.trim());
}
