import type { Button, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Job } from '../../jobs/job.ts';
import { cardStandingOf, jobStandingOf, type Standing } from '../../jobs/pull-requests/standing.ts';
import type { JobPage, PageStart } from '../../jobs/shown/lists.ts';
import { decode } from '../protocol/form-data.ts';
import { threadLink } from '../protocol/links.ts';
import { buttons, decodeButton } from './parts/buttons.ts';
import {
  buttonRow,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
  untrustedParagraph,
} from './parts/message.ts';
import { channelMention, listed, type Mrkdwn, moment, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { readableLink, type Sites } from './parts/pull-request.ts';
import { stateLine } from './parts/state.ts';
import { BUTTON_LABEL_MAX, cut, type Names, promptTitle } from './parts/untrusted.ts';
import { askerMention } from './parts/words.ts';

/** The reader, and the place, to leave out the obvious. */
export interface Reader {
  readonly userId: string;
  /** Null: the home tab. */
  readonly channelId: string | null;
  readonly workspaceUrl: string | null;
  readonly names: Names;
  readonly sites?: Sites;
}

const STANDINGS: Readonly<Record<Standing, Mrkdwn>> = {
  merged: mrkdwn`merged`,
  closed: mrkdwn`closed`,
  checks_failing: mrkdwn`checks failing`,
  draft: mrkdwn`draft`,
  changes_requested: mrkdwn`changes requested`,
  approved: mrkdwn`approved`,
  waiting_for_review: mrkdwn`waiting for review`,
};

/** A job among others: its title, then its state and place. */
export function jobLine(job: Job, reader: Reader): KnownBlock[] {
  const { number, channelId, requesterId } = job;
  const title = untrustedParagraph(promptTitle(job.prompt, reader.names));
  const state = stateLine(job, reader.sites);
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  const link = prLink === null ? null : readableLink(prLink, reader.sites);
  const standing = cardStandingOf(job) === null ? jobStandingOf(job) : null;
  const by = requesterId === reader.userId ? '' : mrkdwn` by ${askerMention(job)}`;
  const where = channelId === reader.channelId ? '' : mrkdwn` in ${channelMention(channelId)}`;
  const thread = threadLink(reader.workspaceUrl, channelId, job.threadTs);
  const facts = smallPrint(
    number > 0 && mrkdwn`#${number}`,
    state,
    link !== null && !state.mrkdwn.includes(link.mrkdwn) && link,
    standing !== null && STANDINGS[standing],
    mrkdwn`asked ${moment(job.requestedAtMs)}${by}${where}`,
    thread !== null && ownLink(thread, 'thread'),
  );
  const details = targetButton(buttons.details, { jobId: job.id });
  return namingJob(job, reader.names, listed([{ ...title, accessory: details }, facts]));
}

/** The message, whose buttons say which job they are about. */
export function messageOfJob(job: Job, names: Names, { text, blocks }: SlackMessage): SlackMessage {
  return { text, blocks: namingJob(job, names, blocks) };
}

/** The blocks, whose buttons tell a screen reader their job: "Details of #42: Add a quickstart". */
export function namingJob(job: Job, names: Names, blocks: readonly KnownBlock[]): KnownBlock[] {
  const title = promptTitle(job.prompt, names).replace(/\s+/g, ' ');
  const name = job.number > 0 ? `#${job.number}: ${title}` : title;
  const named = (button: Button): Button => {
    if (button.accessibility_label !== undefined) return button;
    if (button.url === undefined && decodeButton(button.value ?? '') === null) return button;
    const isThing = button.url !== undefined || button.action_id === buttons.details.id;
    const label = `${button.text.text.replace(/…$/, '')}${isThing ? ' of ' : ', '}${name}`;
    return { ...button, accessibility_label: cut(label, BUTTON_LABEL_MAX) };
  };
  return blocks.map((block) => {
    if (block.type === 'actions') {
      return { ...block, elements: block.elements.map((one) => (one.type === 'button' ? named(one) : one)) };
    }
    if (block.type !== 'section' || block.accessory?.type !== 'button') return block;
    return { ...block, accessory: named(block.accessory) };
  });
}

/** What fits into the plain-text twin, however long the links are. */
export const JOBS_PER_PAGE = 6;

export function listView({ jobs, hasNewer, hasOlder }: JobPage, reader: Reader): SlackMessage {
  const [first, last] = [jobs.at(0), jobs.at(-1)];
  if (first === undefined || last === undefined) {
    return say`📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one.`;
  }
  return message(
    paragraph(mrkdwn`📋 *Your jobs, and the open ones of this channel*`),
    jobs.map((job) => jobLine(job, reader)),
    buttonRow(
      hasNewer && pressButton(buttons.newer, encodePage({ to: 'newer', than: first })),
      hasOlder && pressButton(buttons.older, encodePage({ to: 'older', than: last })),
    ),
  );
}

const pageButton = z
  .object({ to: z.enum(['older', 'newer']), at: z.number(), id: z.string().min(1).max(100) })
  .transform(({ to, at, id }) => ({ to, than: { requestedAtMs: at, id } }));

/** The value of *Newer* and *Older*. It holds only a position in time, so it never expires. */
function encodePage({ to, than }: Exclude<PageStart, null>): string {
  return JSON.stringify({ to, at: than.requestedAtMs, id: than.id });
}

/** The newest page for an unknown value. */
export function decodePage(value: string): PageStart {
  return decode(pageButton, value);
}
