import type { Button, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Job } from '../../jobs/job.ts';
import type { CodeHostSite } from '../../jobs/pull-requests/link.ts';
import { cardStandingOf, jobStandingOf } from '../../jobs/pull-requests/standing.ts';
import type { JobPage, PageStart } from '../../jobs/shown/lists.ts';
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
  untrustedParagraph,
  withButton,
} from './parts/message.ts';
import { channelMention, type Mrkdwn, moment, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { pullRequestTexts, readableLink } from './parts/pull-request.ts';
import { stateLine } from './parts/state.ts';
import { BUTTON_LABEL_MAX, cut, promptTitle } from './parts/untrusted.ts';
import { askerMention } from './parts/words.ts';

/** The words of `list`, and of a job among others. */
const listTexts = {
  title: mrkdwn`📋 *Your jobs, and the open ones of this channel*`,
  empty: mrkdwn`📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one.`,
  number: (number: number): Mrkdwn => mrkdwn`#${number}`,
  asked: (atMs: number): Mrkdwn => mrkdwn`asked ${moment(atMs)}`,
  by: (who: Mrkdwn): Mrkdwn => mrkdwn` by ${who}`,
  where: (channel: Mrkdwn): Mrkdwn => mrkdwn` in ${channel}`,
  thread: 'thread',
} as const;

/** The reader, and the place, to leave out the obvious. */
export interface Reader {
  readonly userId: string;
  /** Null: the home tab. */
  readonly channelId: string | null;
  readonly workspaceUrl: string | null;
  /** Slack ids to names, for the mentions in prompts. */
  readonly names: ReadonlyMap<string, string>;
  /** For short names of pull requests. Default: the public sites. */
  readonly sites?: readonly CodeHostSite[];
}

/** A job among others: its title, then its state and place. */
export function jobLine(job: Job, reader: Reader): KnownBlock[] {
  const title = untrustedParagraph(promptTitle(job.prompt, reader.names));
  const facts = smallPrint(
    ...number(job),
    stateLine(job, reader.sites),
    ...unsaidLink(job, reader),
    ...unsaidStanding(job),
    asked(job, reader),
    ...thread(job, reader),
  );
  return namingJob(job, reader.names, [withButton(title, buttons.details, { jobId: job.id }), facts]);
}

/** The message, whose buttons say which job they are about. */
export function messageOfJob(
  job: Job,
  names: ReadonlyMap<string, string>,
  { text, blocks }: SlackMessage,
): SlackMessage {
  return { text, blocks: namingJob(job, names, blocks) };
}

/** The blocks, whose buttons tell a screen reader their job: "Details of #42: Add a quickstart". */
export function namingJob(
  job: Job,
  names: ReadonlyMap<string, string>,
  blocks: readonly KnownBlock[],
): KnownBlock[] {
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

/** What people call it, and `status` accepts. */
function number({ number: given }: Job): Mrkdwn[] {
  return given > 0 ? [listTexts.number(given)] : [];
}

function asked(job: Job, reader: Reader): Mrkdwn {
  const { requestedAtMs, requesterId, channelId } = job;
  const by = requesterId === reader.userId ? '' : listTexts.by(askerMention(job));
  const where = channelId === reader.channelId ? '' : listTexts.where(channelMention(channelId));
  return mrkdwn`${listTexts.asked(requestedAtMs)}${by}${where}`;
}

/** Of a pull request that the state line does not link. */
function unsaidLink(job: Job, { sites }: Reader): Mrkdwn[] {
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  const link = prLink === null ? null : readableLink(prLink, sites);
  return link === null || stateLine(job, sites).mrkdwn.includes(link.mrkdwn) ? [] : [link];
}

/** The pull request's progress, if its code host tells it and the state line does not. */
function unsaidStanding(job: Job): Mrkdwn[] {
  const standing = jobStandingOf(job);
  return standing === null || cardStandingOf(job) !== null ? [] : [pullRequestTexts.standings[standing]];
}

function thread({ channelId, threadTs }: Job, { workspaceUrl }: Reader): Mrkdwn[] {
  const link = threadLink(workspaceUrl, channelId, threadTs);
  return link === null ? [] : [ownLink(link, listTexts.thread)];
}

/** What fits into the plain-text twin, however long the links are. */
export const JOBS_PER_PAGE = 6;

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
  return say(listTexts.empty);
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
