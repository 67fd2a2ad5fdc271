import { randomUUID } from 'node:crypto';

/** In the 12 bits between the time and chance. */
const COUNT_MAX = 0xfff;

/**
 * Makes UUIDs of version 7, each greater than all before: those of the same millisecond are counted (RFC 9562, 6.2).
 * So rows of the same time are read in the order in which they were made.
 */
export function growingIds(nowMs: () => number = Date.now): () => string {
  let atMs = 0;
  let count = 0;
  return () => {
    const now = nowMs();
    if (now > atMs) [atMs, count] = [now, 0];
    else if (count < COUNT_MAX) count += 1;
    else [atMs, count] = [atMs + 1, 0];
    const time = atMs.toString(16).padStart(12, '0');
    const chance = randomUUID().slice('00000000-0000-0000-'.length);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${chance}`;
  };
}
