import { z } from 'zod';
import type { PageStart } from '../../jobs/lists.ts';

const pageButton = z.object({
  to: z.enum(['older', 'newer']),
  at: z.number(),
  id: z.string().min(1).max(100),
});

/** The value of *Newer* and *Older*: it holds no more than a place in time, so it is good for ever. */
export function encodePage({ to, than }: Exclude<PageStart, null>): string {
  return JSON.stringify({ to, at: than.requestedAtMs, id: than.id });
}

/** The newest page, if the value is not one of ours. */
export function decodePage(value: string): PageStart {
  try {
    const { to, at, id } = pageButton.parse(JSON.parse(value));
    return { to, than: { requestedAtMs: at, id } };
  } catch {
    return null;
  }
}
