import { Agent, type Dispatcher, request } from 'undici';
import { SEND_WITHIN_MS, TooLateToSendError } from '../../../engine/runtime/send-limit.ts';

/** No byte of the request went out; `cause` says why. */
export class NotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'NotSentError';
  }
}

/**
 * What Slack's client needs of `fetch`, at half its cost: a text is posted, and the answer is read to its end. A
 * redirection is an error. A request that cannot go out in time (`SEND_WITHIN_MS`) is never sent: it fails with a
 * TooLateToSendError. A timer cannot see to that: after a freeze, sockets are served before timers.
 */
export function fetchInTime(): typeof globalThis.fetch {
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

/** Whatever happens before undici writes to a connected socket, Slack has not seen the request. */
function inTime(handler: Dispatcher.DispatchHandler, sendByMs: number): Dispatcher.DispatchHandler {
  let isSent = false;
  return {
    // undici calls this right before it writes to a connected socket.
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
