/** What is awaited; an error if it takes longer. What came too late is dropped. */
export async function within<T>(limitMs: number, awaited: Promise<T> | T): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([awaited, limit]);
  } finally {
    clearTimeout(timer);
  }
}
