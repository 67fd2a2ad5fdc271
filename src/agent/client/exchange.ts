import type { Dispatcher } from 'undici';
import { TooLateToSendError } from '../../engine/runtime/send-limit.ts';

/** What came of one HTTP request. */
export type Exchange =
  /** No byte of the request went out. */
  | { readonly kind: 'not_sent'; readonly cause: Error }
  | { readonly kind: 'no_answer'; readonly cause: Error }
  /** The status and headers arrived; `body` is null, and `cause` says why, unless all of it arrived too. */
  | { readonly kind: 'answered'; readonly body: string; readonly cause: null; readonly head: AnswerHead }
  | { readonly kind: 'answered'; readonly body: null; readonly cause: Error; readonly head: AnswerHead };

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface TimeLimits {
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly sendByMs: number;
}

const utf8 = new TextDecoder();

/**
 * Makes one request, and reads the answer to its end. Never throws. `signal` ends it at any stage, also
 * while it waits for a connection; a request that still waits then, or after `sendByMs`, is never sent.
 *
 * This is `dispatch` and not `request` because undici calls `onRequestStart` right before it writes to a
 * connected socket: the one sure sign that something may have been sent.
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
