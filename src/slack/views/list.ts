import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { JobPage, PageStart } from '../../jobs/shown/lists.ts';
import { buttons } from './parts/buttons.ts';
import { jobLine, listTexts, type Reader } from './parts/job-line.ts';
import { buttonRow, message, paragraph, pressButton, type SlackMessage } from './parts/message.ts';
/** What fits into the plain-text twin, however long the links are. */
export const JOBS_PER_PAGE = 6;

/** The reader's jobs, and the channel's open ones. */
export function listView(page: JobPage, reader: Reader): SlackMessage {
  const [newest] = page.jobs;
  if (newest === undefined) return nothingYet();
  return message(
    paragraph(listTexts.title),
    ...page.jobs.flatMap((job) => jobLine(job, reader)),
    ...turning(page),
  );
}

function nothingYet(): SlackMessage {
  return message(paragraph(listTexts.empty));
}

function turning({ jobs, hasNewer, hasOlder }: JobPage): KnownBlock[] {
  const [first, last] = [jobs.at(0), jobs.at(-1)];
  const row = [
    ...(hasNewer && first ? [pressButton(buttons.newer, encodePage({ to: 'newer', than: first }))] : []),
    ...(hasOlder && last ? [pressButton(buttons.older, encodePage({ to: 'older', than: last }))] : []),
  ];
  return row.length === 0 ? [] : [buttonRow(...row)];
}

const pageButton = z.object({
  to: z.enum(['older', 'newer']),
  at: z.number(),
  id: z.string().min(1).max(100),
});

/** The value of *Newer* and *Older*. It holds only a position in time, so it never expires. */
function encodePage({ to, than }: Exclude<PageStart, null>): string {
  return JSON.stringify({ to, at: than.requestedAtMs, id: than.id });
}

/** The newest page for an unknown value. */
export function decodePage(value: string): PageStart {
  try {
    const { to, at, id } = pageButton.parse(JSON.parse(value));
    return { to, than: { requestedAtMs: at, id } };
  } catch {
    return null;
  }
}
