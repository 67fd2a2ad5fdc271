import type { Job } from '../../../jobs/job.ts';
import { actionIds } from '../../protocol/ids.ts';
import { threadLink } from '../../protocol/thread-link.ts';
import { type Part, quotation, smallPrint, withButton } from './message.ts';
import { channelMention, type Mrkdwn, moment, mrkdwn, ownLink, userMention } from './mrkdwn.ts';
import { httpUrl } from './pull-request.ts';
import { line, stateLine } from './state.ts';
import { promptTitle } from './untrusted.ts';
import { labels, signs } from './words.ts';

/** Longer addresses are left to *Details*. */
const PULL_REQUEST_MAX = 120;

/** Who reads, and where: what goes without saying is left out. */
export interface Reader {
  readonly userId: string;
  /** Null: in no channel, at home. */
  readonly channelId: string | null;
  readonly workspaceUrl: string | null;
  /** Slack ids to names, for the mentions in prompts. */
  readonly names: ReadonlyMap<string, string>;
}

/** A job among others: its title, and a line that says how it is and where. */
export function jobLine(job: Job, reader: Reader): Part[] {
  const title = quotation(promptTitle(job.prompt, reader.names));
  const facts = smallPrint(briefState(job), asked(job, reader), ...links(job, reader));
  return [withButton(title, labels.details, actionIds.showJob, { jobId: job.id }), facts];
}

/** The state as `stateLine` has it, without advice that only holds in the job's thread. */
export function briefState(job: Job): Mrkdwn {
  const { stage, agentJob } = job;
  if (stage.kind !== 'ended' || stage.status !== 'completed') return stateLine(job, 'every_reply');
  return line(signs.finished, ...(agentJob?.prLink ? [] : [mrkdwn`no files changed`]));
}

function asked({ requestedAtMs, requesterId, channelId }: Job, reader: Reader): Mrkdwn {
  const by = requesterId === reader.userId ? '' : mrkdwn` by ${userMention(requesterId)}`;
  const where = channelId === reader.channelId ? '' : mrkdwn` in ${channelMention(channelId)}`;
  return mrkdwn`asked ${moment(requestedAtMs)}${by}${where}`;
}

function links({ channelId, threadTs, agentJob, announcedPrLink }: Job, reader: Reader): Mrkdwn[] {
  const thread = threadLink(reader.workspaceUrl, channelId, threadTs);
  const pullRequest = httpUrl(agentJob?.prLink ?? announcedPrLink ?? '');
  return [
    ...(thread === null ? [] : [ownLink(thread, 'thread')]),
    ...(pullRequest === null ? [] : [pullRequestFact(pullRequest)]),
  ];
}

function pullRequestFact(url: string): Mrkdwn {
  const address = mrkdwn`${url}`.mrkdwn;
  return address.length > PULL_REQUEST_MAX ? mrkdwn`has a pull request` : { mrkdwn: `<${address}>` };
}
