import { Agent, type Dispatcher, fetch } from 'undici';
import { SEND_WITHIN_MS, TooLateToSendError } from '../../operations/send-limit.ts';

/**
 * `fetch`, but a request that cannot go out in time (`SEND_WITHIN_MS`) is never sent: it fails with a
 * TooLateToSendError as the cause. A timer cannot see to that: after a freeze, sockets are served before timers.
 */
export function fetchInTime(): typeof globalThis.fetch {
  const dispatcher = new Agent().compose(
    (dispatch) => (options, handler) => dispatch(options, inTime(handler, Date.now() + SEND_WITHIN_MS)),
  );
  const fetchOnce = (url: string, init: object) => fetch(url, { ...init, dispatcher });
  // The same standard, in the types of two packages.
  return fetchOnce as unknown as typeof globalThis.fetch;
}

function inTime(handler: Dispatcher.DispatchHandler, sendByMs: number): Dispatcher.DispatchHandler {
  return {
    // undici calls this right before it writes to a connected socket.
    onRequestStart: (controller, context) => {
      handler.onRequestStart?.(controller, context);
      if (Date.now() > sendByMs) controller.abort(new TooLateToSendError());
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}
