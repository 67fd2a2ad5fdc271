import type { CodeHostSite } from '../../jobs/pull-requests/link.ts';
import { type LeftToDo, type MadeReport, type Report, WAITING_MAX } from '../../jobs/report/report.ts';
import { threadLink } from '../protocol/links.ts';
import { message, paragraph, type SlackMessage, say, smallPrint } from './parts/message.ts';
import { duration, inDays, isDirectMessage, type Mrkdwn, mrkdwn, ownLink } from './parts/mrkdwn.ts';
import { readableLink } from './parts/pull-request.ts';
import { replies } from './parts/words.ts';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const reportTexts = {
  /** `days`: as in "Nov 16 – 23" */
  title: (days: string): Mrkdwn => mrkdwn`📊 *docs-agent* · ${days}`,
  none: mrkdwn`*No requests*`,
  requests: (count: number): Mrkdwn => mrkdwn`*${plural(count, 'request')}*`,
  pullRequests: (count: number): Mrkdwn => mrkdwn`${plural(count, 'pull request')}`,
  merged: (count: number): Mrkdwn => mrkdwn`${count} merged`,
  fates: {
    failed: (count: number): Mrkdwn => mrkdwn`${count} failed`,
    refused: (count: number): Mrkdwn => mrkdwn`${count} rejected`,
    done: (count: number): Mrkdwn => mrkdwn`${count} without changes`,
    gone: (count: number): Mrkdwn => mrkdwn`${count} no longer known to the agent`,
    archived: (count: number): Mrkdwn => mrkdwn`${count} archived`,
    open: (count: number): Mrkdwn => mrkdwn`${count} running`,
    unclearReplies: (count: number): Mrkdwn => mrkdwn`${replies(count)} unclear`,
    unclear: (count: number): Mrkdwn => mrkdwn`${count} unclear`,
  },
  openIt: 'Open it',
  took: (half: string, most: string): Mrkdwn =>
    mrkdwn`Time to pull request: median ${half}, 90% within ${most}`,
  waiting: (which: Mrkdwn): Mrkdwn => mrkdwn`Waiting for review: ${which}`,
  more: mrkdwn`Operators: run \`docs-agent report\` on the server for the rest.`,
  counting: mrkdwn`⏳ *Counting.* This takes a moment; the report will appear here.`,
} as const;

interface ReportReader {
  readonly workspaceUrl: string | null;
  readonly sites: readonly CodeHostSite[];
  /** Days are counted in this time zone. */
  readonly zone: string;
  readonly nowMs: number;
}

/** Answers `report`; also the digest. */
export function reportView({ report, leftToDo }: MadeReport, reader: ReportReader): SlackMessage {
  const lines: Mrkdwn[] = [
    reportTexts.title(days(report, reader.zone)),
    requests(report),
    ...others(report, leftToDo, reader),
    ...time(report),
    ...waiting(leftToDo, reader),
  ];
  return message(paragraph(joined(lines, '\n')), smallPrint(reportTexts.more));
}

/** The count was not ready in time. */
export const countingView = say(reportTexts.counting);

/** `Nov 16 – 23` */
function days({ since, until }: Report, zone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: zone });
  return format.formatRange(new Date(since), new Date(until)).replace(/\s/g, ' ');
}

function requests({ starts, ends, pull_requests: pullRequests }: Report): Mrkdwn {
  if (starts.total === 0) return reportTexts.none;
  const { open, merged, closed } = pullRequests;
  const steps = [
    reportTexts.requests(starts.total),
    reportTexts.pullRequests(ends.pull_request),
    // Otherwise, no code host knows their outcome.
    ...(open + merged + closed === 0 ? [] : [reportTexts.merged(merged)]),
  ];
  return joined(steps, ' → ');
}

/** The other requests' outcomes, without zeros. */
function others(
  { ends, unclear, open }: Report,
  { unclear: one }: LeftToDo,
  { workspaceUrl }: ReportReader,
): Mrkdwn[] {
  const url =
    one === null || isDirectMessage(one.channelId)
      ? null
      : threadLink(workspaceUrl, one.channelId, one.threadTs);
  const { fates } = reportTexts;
  const unclearStarts = fates.unclear(unclear.starts);
  const counted: readonly (readonly [count: number, words: Mrkdwn])[] = [
    [ends.failed, fates.failed(ends.failed)],
    [ends.refused, fates.refused(ends.refused)],
    [ends.done, fates.done(ends.done)],
    [ends.gone, fates.gone(ends.gone)],
    [ends.archived, fates.archived(ends.archived)],
    [open, fates.open(open)],
    [unclear.replies, fates.unclearReplies(unclear.replies)],
    [
      unclear.starts,
      url === null ? unclearStarts : mrkdwn`${unclearStarts} → ${ownLink(url, reportTexts.openIt)}`,
    ],
  ];
  const said = counted.flatMap(([count, words]) => (count === 0 ? [] : [words]));
  return said.length === 0 ? [] : [joined(said, ' · ')];
}

function time({ seconds_to_pull_request: { median, p90 } }: Report): Mrkdwn[] {
  if (median === null || p90 === null) return [];
  return [reportTexts.took(duration(median * 1000), duration(p90 * 1000))];
}

function waiting({ waitingForReview: all }: LeftToDo, { sites, nowMs }: ReportReader): Mrkdwn[] {
  const named = all.slice(0, WAITING_MAX).flatMap(({ url, sinceMs }) => {
    const link = readableLink(url, sites);
    return link === null ? [] : [mrkdwn`${link} (${inDays(nowMs - sinceMs)})`];
  });
  if (named.length === 0) return [];
  const more = all.length > WAITING_MAX ? [mrkdwn`…`] : [];
  return [reportTexts.waiting(joined([...named, ...more], ', '))];
}

function joined(parts: readonly Mrkdwn[], separator: string): Mrkdwn {
  return { mrkdwn: parts.map((part) => part.mrkdwn).join(separator) };
}
