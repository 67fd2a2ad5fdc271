import { threadLink } from '#slack/protocol/ids.ts';
import { readableLink, type Sites } from '#slack/views/job.ts';
import { message, type SlackMessage, say, smallPrint } from '#slack/views/message.ts';
import {
  counted,
  duration,
  inDays,
  isDirectMessage,
  joined,
  listed,
  type Mrkdwn,
  mrkdwn,
  ownLink,
  replies,
} from '#slack/views/text.ts';
import { type LeftToDo, type MadeReport, type Report, WAITING_MAX } from './report.ts';

type ReportReader = Readonly<{
  workspaceUrl: string | null;
  sites: Sites;
  zone: string;
  nowMs: number;
}>;

export function reportView({ report, leftToDo }: MadeReport, reader: ReportReader): SlackMessage {
  const { median, p90 } = report.seconds_to_pull_request;
  const lines = [
    mrkdwn`📊 *docs-agent* · ${days(report, reader.zone)}`,
    requests(report),
    others(report, leftToDo, reader),
    median !== null &&
      p90 !== null &&
      mrkdwn`Time to pull request: median ${duration(median * 1000)}, 90% within ${duration(p90 * 1000)}`,
    waiting(leftToDo, reader),
  ];
  return message(
    joined(lines, '\n'),
    smallPrint(mrkdwn`Operators: run \`docs-agent report\` on the server for the rest.`),
  );
}

export const countingView = say`⏳ *Counting.* This takes a moment; the report will appear here.`;

function days({ since, until }: Report, zone: string) {
  const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: zone });
  return format.formatRange(new Date(since), new Date(until)).replace(/\s/g, ' ');
}

function requests({ starts, ends, pull_requests: pullRequests }: Report) {
  if (starts.total === 0) return mrkdwn`*No requests*`;
  const { open, merged, closed } = pullRequests;
  const steps = [
    mrkdwn`*${counted(starts.total, 'request')}*`,
    counted(ends.pull_request, 'pull request'),
    // Otherwise, no code host knows.
    open + merged + closed > 0 && `${merged} merged`,
  ];
  return joined(steps, ' → ');
}

function others({ ends, unclear, open }: Report, { unclear: one }: LeftToDo, { workspaceUrl }: ReportReader) {
  const url =
    one !== null && !isDirectMessage(one.channelId)
      ? threadLink(workspaceUrl, one.channelId, one.threadTs)
      : null;
  const fates = listed<string | Mrkdwn>([
    ends.failed > 0 && `${ends.failed} failed`,
    ends.refused > 0 && `${ends.refused} rejected`,
    ends.done > 0 && `${ends.done} without changes`,
    ends.gone > 0 && `${ends.gone} no longer known to the agent`,
    ends.archived > 0 && `${ends.archived} archived`,
    open > 0 && `${open} running`,
    unclear.replies > 0 && `${replies(unclear.replies)} unclear`,
    unclear.starts > 0 &&
      joined([`${unclear.starts} unclear`, url !== null && ownLink(url, 'Open it')], ' → '),
  ]);
  return fates.length === 0 ? null : joined(fates);
}

function waiting({ waitingForReview: all }: LeftToDo, { sites, nowMs }: ReportReader) {
  const named = all.slice(0, WAITING_MAX).flatMap(({ url, sinceMs }) => {
    const link = readableLink(url, sites);
    return link === null ? [] : mrkdwn`${link} (${inDays(nowMs - sinceMs)})`;
  });
  if (named.length === 0) return null;
  return mrkdwn`Waiting for review: ${joined([named, all.length > WAITING_MAX && '…'], ', ')}`;
}
