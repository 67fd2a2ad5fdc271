import type { Button } from '@slack/types';
import type { Job } from '../../jobs/job.ts';
import { lastPullRequestOf } from '../../jobs/pull-requests/standing.ts';
import type { HostFacts, ServiceFacts } from '../../jobs/service-facts.ts';
import { type NeedingJob, needOf } from '../../jobs/shown/lists.ts';
import { doctorAtHome, doctorOnServer, type SlackChecked } from './doctor.ts';
import { jobLine, namingJob, type Reader } from './list.ts';
import { buttons } from './parts/buttons.ts';
import {
  type Blocks,
  buttonRow,
  heading,
  linkButton,
  message,
  paragraph,
  pressButton,
  type SlackMessage,
  smallPrint,
  targetButton,
} from './parts/message.ts';
import { counted, listed, type Mrkdwn, moment, mrkdwn, type Parts } from './parts/mrkdwn.ts';
import { undeliveredWarning } from './parts/state.ts';
import { oneLine } from './parts/untrusted.ts';
import { cardActions } from './thread/actions.ts';
import { closedPlace, isBetweenPeople, tryAgainButton } from './thread/requester.ts';

const PROBLEM_MAX = 200;

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

export interface AdminFacts {
  /** Null: nobody has asked Slack yet. */
  readonly slack: SlackChecked | null;
  readonly codeHosts: readonly HostFacts[];
  readonly work: readonly string[];
  /** Channels where messages wait until the bot has access again. `reason`: Slack's error code. */
  readonly closedPlaces: readonly {
    readonly channelId: string;
    readonly reason: string;
    readonly posts: number;
  }[];
}

export function homeView(facts: HomeFacts, reader: Reader): SlackMessage {
  const { needing, open, projects, slackProblem, atMs, forAdmin } = facts;
  return message(
    paragraph(mrkdwn`Ask for a documentation change, get the pull request.`),
    buttonRow(
      pressButton(buttons.startJob, 'home', 'primary'),
      forAdmin !== null && pressButton(buttons.settings, 'home'),
    ),
    needing.length > 0 && heading('Needs your attention'),
    needing.slice(0, NEEDING_JOBS_MAX).map((one) => needingJob(one, reader)),
    heading('Open'),
    open.length === 0 && smallPrint(mrkdwn`Nothing is open.`),
    open.slice(0, OPEN_JOBS_MAX).map((job) => jobLine(job, reader)),
    open.length > OPEN_JOBS_MAX && smallPrint(mrkdwn`\`/docs-agent list\` shows the rest`),
    heading('Recent pull requests'),
    facts.withPullRequest.length === 0 && smallPrint(mrkdwn`None yet.`),
    facts.withPullRequest.slice(0, PULL_REQUESTS_MAX).map((job) => jobLine(job, reader)),
    heading('Status'),
    smallPrint(
      slackProblem === null
        ? mrkdwn`✅ Slack is connected`
        : mrkdwn`⚠️ *Slack* · ${oneLine(slackProblem, PROBLEM_MAX)}`,
      mrkdwn`as of ${moment(atMs)}`,
    ),
    projects
      .slice(0, PROJECTS_MAX)
      .map(({ name, callsLeft, hourlyBudget, agent }) =>
        smallPrint(
          mrkdwn`*${oneLine(name)}*`,
          agentLine(agent),
          mrkdwn`${callsLeft} of ${hourlyBudget} requests and replies left this hour`,
        ),
      ),
    forAdmin !== null && administrators(projects, forAdmin),
  );
}

function needingJob(one: NeedingJob, reader: Reader): Blocks {
  const { job, undecided } = one;
  const dismiss = targetButton(buttons.dismissNeed, { jobId: job.id, need: needOf(one) ?? undefined });
  return [
    jobLine(job, reader),
    undecided !== null && smallPrint(undeliveredWarning(undecided.count)),
    namingJob(job, reader.names, listed(buttonRow(decision(one), dismiss))),
  ];
}

function decision({ job, undecided }: NeedingJob): Parts<Button> {
  const { stage } = job;
  if (stage.kind === 'card_failed') return !isBetweenPeople(stage.reason, job) && tryAgainButton(job);
  const [action] = listed(cardActions(job, { sendNow: null, undecided }));
  return action ?? linkButton(buttons.viewPullRequest, lastPullRequestOf(job)?.url ?? null);
}

function administrators(
  projects: readonly ProjectFacts[],
  { slack, codeHosts, work, closedPlaces }: AdminFacts,
): Blocks {
  const lines = doctorAtHome({ projects, codeHosts, work }, slack);
  return [
    heading('For administrators'),
    lines !== null && paragraph(lines),
    closedPlaces.slice(0, PLACES_MAX).map(({ channelId, reason, posts }) => {
      const waiting = counted(posts, 'message is', 'messages are');
      return paragraph(mrkdwn`⏳ ${closedPlace(reason, channelId)} ${waiting} waiting.`);
    }),
    smallPrint(
      slack === null
        ? mrkdwn`Permissions and notice channels are being checked…`
        : mrkdwn`Checked ${moment(slack.atMs)}`,
      doctorOnServer,
    ),
  ];
}

function agentLine({ answeredAtMs, trouble }: ServiceFacts): Mrkdwn {
  if (trouble === null) {
    return answeredAtMs === null
      ? mrkdwn`no contact with the agent since the last restart`
      : mrkdwn`✅ the agent answered ${moment(answeredAtMs)}`;
  }
  const since = mrkdwn`(since ${moment(trouble.sinceMs)})`;
  switch (trouble.kind) {
    case 'rate_limited':
      return mrkdwn`⏳ the agent has been limiting requests ${since}`;
    case 'unreachable':
      return mrkdwn`⏳ can't reach the agent ${since}`;
    case 'needs_admin':
      return mrkdwn`⚠️ an administrator needs to fix the connection to the agent ${since}`;
  }
}
