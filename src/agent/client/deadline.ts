/**
 * Does the work with a signal that is aborted, as that of `AbortSignal.timeout`, after so many milliseconds. That one
 * has a timer that goes on when the work is done, and is freed only with it or when all memory is collected: with
 * thousands of reads a second, many megabytes of them.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const abort = () => {
    deadline.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  };
  // A process that was frozen may find its timers due before it has read what arrived meanwhile: the answer counts.
  const timer = setTimeout(() => setImmediate(abort), timeoutMs);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
