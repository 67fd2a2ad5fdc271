import type { Dispatcher } from 'undici';

export type Exchange = Readonly<
  /** No byte was sent. */
  | { kind: 'not_sent'; cause: Error }
  | { kind: 'no_answer'; cause: Error }
  /** Status and headers arrived; `body` is null if it is incomplete. */
  | { kind: 'answered'; body: string; cause: null; head: AnswerHead }
  | { kind: 'answered'; body: null; cause: Error; head: AnswerHead }
>;

export type AnswerHead = Readonly<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}>;

export type TimeLimits = Readonly<{
  signal: AbortSignal;
  sendByMs: number;
}>;

const utf8 = new TextDecoder();

/**
 * Never throws. After `signal` or `sendByMs`, a request that still waits for a connection is never sent. Uses
 * `dispatch` because undici calls `onRequestStart` right before it writes to a connected socket: the only
 * sure sign that something may have been sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, sendByMs }: TimeLimits,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let started: Dispatcher.DispatchController | null = null;
    let head: AnswerHead | null = null;
    const chunks: Buffer[] = [];

    const abort = () => {
      fail(signal.reason);
      started?.abort(signal.reason);
    };
    const fail = (cause: Error) => {
      signal.removeEventListener('abort', abort);
      if (head !== null) resolve({ kind: 'answered', head, body: null, cause });
      else resolve({ kind: started === null ? 'not_sent' : 'no_answer', cause });
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);

    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        if (signal.aborted) controller.abort(signal.reason);
        else if (Date.now() > sendByMs) controller.abort(new TooLateToSendError());
        else started = controller;
      },
      onResponseStart: (_controller, status, headers) => {
        if (status >= 200) head = { status, headers };
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        if (head === null) return fail(new Error('an answer without a head'));
        signal.removeEventListener('abort', abort);
        const body = utf8.decode(Buffer.concat(chunks));
        resolve({ kind: 'answered', head, body, cause: null });
      },
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

/** Drops the parser's error, which quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const RETRY_AFTER_MAX_LENGTH = 64;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * `Retry-After` (RFC 9110, 10.2.3: seconds, or an HTTP date) as a wait. More than `longestMs` counts as a
 * mistake, such as milliseconds. Compares a date with the answer's own `Date`, as clocks may be wrong.
 */
export function parseRetryAfterMs(
  retryAfter: string | string[] | undefined,
  date: string | string[] | undefined,
  nowMs: number,
  longestMs: number,
): number | null {
  if (typeof retryAfter !== 'string' || retryAfter.length > RETRY_AFTER_MAX_LENGTH) return null;
  const value = retryAfter.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(value)
    ? Number(value) * 1000
    : parseDateMs(value) - (parseDateMs(date) || nowMs);
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(Math.ceil(waitMs), 0), longestMs);
}

/** NaN: no date. */
function parseDateMs(value: string | string[] | undefined) {
  return typeof value === 'string' && HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
}

/**
 * A request is made this soon after its call was started, and sent this soon after that, or not at all. A
 * process that was frozen must not send when it wakes: others may have found that the request was never made.
 */
export const SEND_WITHIN_MS = 5_000;

export class TooLateToSendError extends Error {
  readonly code = 'TOO_LATE_TO_SEND';

  constructor() {
    super(`the request could not go out within ${SEND_WITHIN_MS / 1000} s`);
    this.name = 'TooLateToSendError';
  }
}
