import type { Report } from '../../jobs/report/report.ts';
import { duration } from './parts/duration.ts';
import { message, paragraph, type SlackMessage, smallPrint } from './parts/message.ts';
import { type Mrkdwn, moment } from './parts/mrkdwn.ts';
import { reportTexts } from './texts/report.ts';

/** Answers `report`. */
export function reportView(report: Report): SlackMessage {
  return message(...facts(report), smallPrint(reportTexts.more));
}

/** It was not counted in time for the answer. */
export function countingView(): SlackMessage {
  return message(paragraph(reportTexts.counting));
}

function facts(report: Report): [ReturnType<typeof paragraph>, ReturnType<typeof paragraph>] {
  const { since, until, starts, ends, unclear, open, pull_requests: pullRequests, budget } = report;
  const { median, p90 } = report.seconds_to_pull_request;
  const { sources, fates, states } = reportTexts;
  const fatesOfAll = { ...ends, unclear: unclear.starts, open };
  const lines: Mrkdwn[] = [
    starts.total === 0
      ? reportTexts.none
      : reportTexts.starts(starts.total, counted(sources, starts.by_source)),
    ...(starts.total === 0 ? [] : [reportTexts.became(counted(fates, fatesOfAll))]),
    ...(unclear.replies === 0 ? [] : [reportTexts.unclearReplies(unclear.replies)]),
    ...(sum(pullRequests) === 0 ? [] : [reportTexts.pullRequests(counted(states, pullRequests))]),
    ...(median === null || p90 === null
      ? []
      : [reportTexts.took(duration(median * 1000), duration(p90 * 1000))]),
    reportTexts.budget(budget.peak_per_hour, budget.limit),
  ];
  return [
    paragraph(reportTexts.title(moment(Date.parse(since)), moment(Date.parse(until)))),
    paragraph({ mrkdwn: lines.map(({ mrkdwn }) => mrkdwn).join('\n') }),
  ];
}

/** All that is not zero, in the order of the words. */
function counted<Name extends string>(
  words: Readonly<Record<Name, (count: number) => string>>,
  counts: Readonly<Record<Name, number>>,
): string {
  const names = Object.keys(words) as Name[];
  return names.flatMap((name) => (counts[name] === 0 ? [] : [words[name](counts[name])])).join(' · ');
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
