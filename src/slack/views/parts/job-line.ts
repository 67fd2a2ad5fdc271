import type { KnownBlock } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import { cardStandingOf, jobStandingOf } from '../../../jobs/pull-requests/standing.ts';
import { threadLink } from '../../protocol/links.ts';
import { listTexts } from '../texts/lists.ts';
import { pullRequestTexts } from '../texts/thread/pull-request.ts';
import { askerMention } from './asker.ts';
import { buttons } from './buttons.ts';
import { quotation, smallPrint, withButton } from './message.ts';
import { channelMention, type Mrkdwn, mrkdwn, ownLink } from './mrkdwn.ts';
import { readableLink } from './pull-request.ts';
import { stateLine } from './state.ts';
import { promptTitle } from './untrusted.ts';

/** The reader, and where: the obvious is left out. */
export interface Reader {
  readonly userId: string;
  /** Null: in no channel, at home. */
  readonly channelId: string | null;
  readonly workspaceUrl: string | null;
  /** Slack ids to names, for the mentions in prompts. */
  readonly names: ReadonlyMap<string, string>;
  /** Whose pull requests have short names. Default: those without a setting. */
  readonly sites?: readonly CodeHostSite[];
}

/** A job among others: its title, and a line that says how it is and where. */
export function jobLine(job: Job, reader: Reader): KnownBlock[] {
  const title = quotation(promptTitle(job.prompt, reader.names));
  const facts = smallPrint(
    ...number(job),
    stateLine(job, reader.sites),
    ...unsaidLink(job, reader),
    ...unsaidStanding(job),
    asked(job, reader),
    ...thread(job, reader),
  );
  return [withButton(title, buttons.details, { jobId: job.id }), facts];
}

/** What people call it, and `status` takes. */
function number({ number: given }: Job): Mrkdwn[] {
  return given > 0 ? [listTexts.number(given)] : [];
}

function asked(job: Job, reader: Reader): Mrkdwn {
  const { requestedAtMs, requesterId, channelId } = job;
  const by = requesterId === reader.userId ? '' : listTexts.by(askerMention(job));
  const where = channelId === reader.channelId ? '' : listTexts.where(channelMention(channelId));
  return mrkdwn`${listTexts.asked(requestedAtMs)}${by}${where}`;
}

/** Of a pull request that the state does not name. */
function unsaidLink(job: Job, { sites }: Reader): Mrkdwn[] {
  const prLink = job.agentJob?.prLink ?? job.announcedPrLink;
  const link = prLink === null ? null : readableLink(prLink, sites);
  return link === null || stateLine(job, sites).mrkdwn.includes(link.mrkdwn) ? [] : [link];
}

/** How its pull request stands, as far as the code host says, and the state does not. */
function unsaidStanding(job: Job): Mrkdwn[] {
  const standing = jobStandingOf(job);
  return standing === null || cardStandingOf(job) !== null ? [] : [pullRequestTexts.standings[standing]];
}

function thread({ channelId, threadTs }: Job, { workspaceUrl }: Reader): Mrkdwn[] {
  const link = threadLink(workspaceUrl, channelId, threadTs);
  return link === null ? [] : [ownLink(link, listTexts.thread)];
}
