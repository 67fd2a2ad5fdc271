import { z } from 'zod';
import type { JobPage, PageStart } from '../../jobs/lists.ts';
import { actionIds } from '../protocol/ids.ts';
import { jobLine, type Reader } from './parts/job-line.ts';
import { buttons, message, type Part, paragraph, pressButton, type SlackMessage } from './parts/message.ts';
import { mrkdwn } from './parts/mrkdwn.ts';
import { labels } from './parts/words.ts';

/** As many as fit into the plain-text twin, however long their links are. */
export const JOBS_PER_PAGE = 6;

/** The reader's jobs, and the open ones of the channel. */
export function listView(page: JobPage, reader: Reader): SlackMessage {
  const [newest] = page.jobs;
  if (newest === undefined) return nothingYet();
  return message(
    paragraph(mrkdwn`📋 *Your jobs, and the open ones of this channel*`),
    ...page.jobs.flatMap((job) => jobLine(job, reader)),
    ...turning(page),
  );
}

function nothingYet(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`📋 *No jobs yet.* You have asked for none, and none is open in this channel. \`/docs-agent explain the rate limits\` starts one.`,
    ),
  );
}

function turning({ jobs, hasNewer, hasOlder }: JobPage): Part[] {
  const [first, last] = [jobs.at(0), jobs.at(-1)];
  const row = [
    ...(hasNewer && first
      ? [pressButton(labels.newer, actionIds.listNewer, encodePage({ to: 'newer', than: first }))]
      : []),
    ...(hasOlder && last
      ? [pressButton(labels.older, actionIds.listOlder, encodePage({ to: 'older', than: last }))]
      : []),
  ];
  return row.length === 0 ? [] : [buttons(...row)];
}

const pageButton = z.object({
  to: z.enum(['older', 'newer']),
  at: z.number(),
  id: z.string().min(1).max(100),
});

/** The value of *Newer* and *Older*: it holds no more than a place in time, so it is good for ever. */
function encodePage({ to, than }: Exclude<PageStart, null>): string {
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
