import type { Button, KnownBlock } from '@slack/types';
import { emptyQueue } from '../../jobs/follow-ups/follow-up-queue.ts';
import type { Job } from '../../jobs/job.ts';
import { lastPullRequestOf } from '../../jobs/pull-requests/standing.ts';
import type { HostFacts, ServiceFacts } from '../../jobs/service-facts.ts';
import { type NeedingJob, needOf } from '../../jobs/shown/lists.ts';
import { doctor, doctorAtHome, type SlackChecked } from './doctor.ts';
import { jobLine, namingJob, type Reader } from './list.ts';
import { buttons } from './parts/buttons.ts';
import {
  buttonRow,
  heading,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  smallPrint,
  targetButton,
  viewPullRequestButton,
} from './parts/message.ts';
import { type Mrkdwn, moment, mrkdwn } from './parts/mrkdwn.ts';
import { httpUrl } from './parts/pull-request.ts';
import { warnings } from './parts/state.ts';
import { oneLine } from './parts/untrusted.ts';
import { cardActions } from './thread/actions.ts';
import { closedPlace, isBetweenPeople, tryAgainButton } from './thread/requester.ts';

const NAME_MAX = 100;
const PROBLEM_MAX = 200;

/** The home tab's words, besides its jobs. */
const homeTexts = {
  intro: mrkdwn`Ask for a documentation change, get the pull request.`,
  needsYou: 'Needs your attention',
  open: 'Open',
  noneOpen: mrkdwn`Nothing is open.`,
  pullRequests: 'Recent pull requests',
  noPullRequests: mrkdwn`None yet.`,
  status: 'Status',
  more: mrkdwn`\`/docs-agent list\` shows the rest`,
  connected: mrkdwn`✅ Slack is connected`,
  notConnected: (problem: string) => mrkdwn`⚠️ *Slack* · ${oneLine(problem, PROBLEM_MAX)}`,
  asOf: (atMs: number) => mrkdwn`as of ${moment(atMs)}`,
  project: (name: string) => mrkdwn`*${oneLine(name, NAME_MAX)}*`,
  answered: (atMs: number) => mrkdwn`✅ the agent answered ${moment(atMs)}`,
  notAsked: mrkdwn`no contact with the agent since the last restart`,
  troubles: {
    rate_limited: (sinceMs: number) =>
      mrkdwn`⏳ the agent has been limiting requests (since ${moment(sinceMs)})`,
    unreachable: (sinceMs: number) => mrkdwn`⏳ can't reach the agent (since ${moment(sinceMs)})`,
    needs_admin: (sinceMs: number) =>
      mrkdwn`⚠️ an administrator needs to fix the connection to the agent (since ${moment(sinceMs)})`,
  },
  budget: (left: number, hourly: number) => mrkdwn`${left} of ${hourly} requests and replies left this hour`,
  administrators: 'For administrators',
  /** `why`: sentences. */
  waiting: (why: Mrkdwn, posts: number) =>
    mrkdwn`⏳ ${why} ${posts === 1 ? '1 message is' : `${posts} messages are`} waiting.`,
  /** `atMs`: when Slack was asked; null: never. */
  checked: (atMs: number | null) =>
    atMs === null
      ? mrkdwn`Permissions and notice channels are being checked…`
      : mrkdwn`Checked ${moment(atMs)}`,
} as const;

/** `list` has more. */
export const NEEDING_JOBS_MAX = 6;
export const OPEN_JOBS_MAX = 8;
export const PULL_REQUESTS_MAX = 5;
export const PROJECTS_MAX = 10;
const PLACES_MAX = 5;

export interface HomeFacts {
  /** The reader's jobs that wait for a decision, newest first. */
  readonly needing: readonly NeedingJob[];
  /** The reader's, newest first; one more than is shown, if there are more. */
  readonly open: readonly Job[];
  readonly withPullRequest: readonly Job[];
  readonly projects: readonly ProjectFacts[];
  /** What is wrong with the incoming connection, or null. */
  readonly slackProblem: string | null;
  /** What administrators see besides; null: the reader is none. */
  readonly forAdmin: AdminFacts | null;
  readonly atMs: number;
}

export interface ProjectFacts {
  readonly name: string;
  readonly callsLeft: number;
  readonly hourlyBudget: number;
  readonly agent: ServiceFacts;
}

/** A channel that is closed to the bot. `reason`: Slack's error code. */
interface ClosedPlace {
  readonly channelId: string;
  readonly reason: string;
  readonly posts: number;
}

export interface AdminFacts {
  /** Null: nobody has asked Slack yet. */
  readonly slack: SlackChecked | null;
  readonly codeHosts: readonly HostFacts[];
  readonly work: readonly string[];
  /** Channels where messages wait until the bot has access again. */
  readonly closedPlaces: readonly ClosedPlace[];
}

export function homeView(facts: HomeFacts, reader: Reader): SlackMessage {
  const { needing, projects, slackProblem, atMs, forAdmin } = facts;
  const pullRequests = facts.withPullRequest.slice(0, PULL_REQUESTS_MAX);
  return message(
    paragraph(homeTexts.intro),
    buttonRow(
      pressButton(buttons.startJob, 'home', 'primary'),
      ...(forAdmin === null ? [] : [pressButton(buttons.settings, 'home')]),
    ),
    ...(needing.length === 0 ? [] : [heading(homeTexts.needsYou)]),
    ...needing.slice(0, NEEDING_JOBS_MAX).flatMap((one) => needingJob(one, reader)),
    ...section(homeTexts.open, homeTexts.noneOpen, openJobs(facts.open, reader)),
    ...section(
      homeTexts.pullRequests,
      homeTexts.noPullRequests,
      pullRequests.flatMap((job) => jobLine(job, reader)),
    ),
    heading(homeTexts.status),
    smallPrint(
      slackProblem === null ? homeTexts.connected : homeTexts.notConnected(slackProblem),
      homeTexts.asOf(atMs),
    ),
    ...projects.slice(0, PROJECTS_MAX).map((project) => smallPrint(...projectLine(project))),
    ...(forAdmin === null ? [] : administrators(projects, forAdmin)),
  );
}

function needingJob({ job, undecided }: NeedingJob, reader: Reader): KnownBlock[] {
  return [
    ...jobLine(job, reader),
    ...(undecided === null ? [] : [smallPrint(warnings.undelivered(undecided.count))]),
    ...namingJob(job, reader.names, [
      buttonRow(...decision({ job, undecided }), dismissButton({ job, undecided })),
    ]),
  ];
}

function dismissButton(one: NeedingJob): Button {
  return targetButton(buttons.dismissNeed, { jobId: one.job.id, need: needOf(one) ?? undefined });
}

function decision({ job, undecided }: NeedingJob): Button[] {
  const { stage } = job;
  if (stage.kind === 'card_failed') return isBetweenPeople(stage.reason, job) ? [] : [tryAgainButton(job)];
  const [action = viewButton(job)] = cardActions(job, { ...emptyQueue, undecided });
  return action === null ? [] : [action];
}

function viewButton(job: Job): Button | null {
  const url = httpUrl(lastPullRequestOf(job)?.url ?? '');
  return url === null ? null : viewPullRequestButton(url);
}

function openJobs(open: readonly Job[], reader: Reader): KnownBlock[] {
  const parts = open.slice(0, OPEN_JOBS_MAX).flatMap((job) => jobLine(job, reader));
  return open.length > OPEN_JOBS_MAX ? [...parts, smallPrint(homeTexts.more)] : parts;
}

function section(title: string, empty: Mrkdwn, parts: readonly KnownBlock[]): KnownBlock[] {
  return [heading(title), ...(parts.length === 0 ? [smallPrint(empty)] : parts)];
}

function projectLine({ name, callsLeft, hourlyBudget, agent }: ProjectFacts): Mrkdwn[] {
  return [homeTexts.project(name), agentLine(agent), homeTexts.budget(callsLeft, hourlyBudget)];
}

function administrators(
  projects: readonly ProjectFacts[],
  { slack, codeHosts, work, closedPlaces }: AdminFacts,
): KnownBlock[] {
  const lines = doctorAtHome({ projects, codeHosts, work }, slack);
  return [
    heading(homeTexts.administrators),
    ...(lines === null ? [] : [paragraph(lines)]),
    ...closedPlaces
      .slice(0, PLACES_MAX)
      .map(({ channelId, reason, posts }) =>
        paragraph(homeTexts.waiting(closedPlace(reason, channelId), posts)),
      ),
    smallPrint(homeTexts.checked(slack?.atMs ?? null), doctor.more),
  ];
}

function agentLine({ answeredAtMs, trouble }: ServiceFacts): Mrkdwn {
  if (trouble !== null) return homeTexts.troubles[trouble.kind](trouble.sinceMs);
  return answeredAtMs === null ? homeTexts.notAsked : homeTexts.answered(answeredAtMs);
}
