/**
 * A request is made this soon after its call was marked as started, and goes out this soon after it was made, or not
 * at all. A process that was frozen (a suspended machine, a stopped container) must not send when it wakes: others have
 * taken over its work, and may have found that the request was never made.
 */
export const SEND_WITHIN_MS = 5_000;

/** The request was not sent, because it was too late for it. */
export class TooLateToSendError extends Error {
  readonly code = 'TOO_LATE_TO_SEND';

  constructor() {
    super(`the request could not go out within ${SEND_WITHIN_MS / 1000} s`);
    this.name = 'TooLateToSendError';
  }
}
