import type { AgentFacts, Job } from '../../jobs/job.ts';
import { actionIds } from '../protocol/ids.ts';
import { ways } from './help.ts';
import { jobLine, type Reader } from './parts/job-line.ts';
import {
  buttons,
  heading,
  message,
  type Part,
  paragraph,
  pressButton,
  type SlackMessage,
  smallPrint,
} from './parts/message.ts';
import { type Mrkdwn, mrkdwn, timeOfDay } from './parts/mrkdwn.ts';
import { line } from './parts/state.ts';
import { oneLine } from './parts/untrusted.ts';
import { labels, signs, troubleSigns } from './parts/words.ts';

const NAME_MAX = 100;
const PROBLEM_MAX = 200;
/** More are in `list`. */
export const OPEN_JOBS_MAX = 8;
export const PULL_REQUESTS_MAX = 5;
export const PROJECTS_MAX = 10;

export interface HomeFacts {
  /** The reader's, newest first; one more than is shown, if there are more. */
  readonly open: readonly Job[];
  readonly withPullRequest: readonly Job[];
  readonly projects: readonly ProjectFacts[];
  /** What is wrong with the connection by which Slack's gestures arrive, or null. */
  readonly slackProblem: string | null;
  readonly isAdmin: boolean;
  readonly atMs: number;
}

export interface ProjectFacts {
  readonly name: string;
  readonly callsLeft: number;
  readonly hourlyBudget: number;
  readonly agent: AgentFacts;
}

/** The home tab of one person. */
export function homeView(facts: HomeFacts, reader: Reader): SlackMessage {
  const { projects, slackProblem, atMs } = facts;
  return message(
    paragraph(mrkdwn`📖 Ask for a documentation change, get the pull request.`),
    buttons(
      pressButton(labels.startJob, actionIds.startJob, 'home', 'primary'),
      ...(facts.isAdmin ? [pressButton(labels.settings, actionIds.openSettings, 'home')] : []),
    ),
    ...section('Your open jobs', mrkdwn`none is open`, openJobs(facts.open, reader)),
    ...section(
      'Your last pull requests',
      mrkdwn`none yet`,
      facts.withPullRequest.slice(0, PULL_REQUESTS_MAX).flatMap((job) => jobLine(job, reader)),
    ),
    heading('How things are'),
    smallPrint(
      slackProblem === null
        ? mrkdwn`Slack ✅ connected`
        : mrkdwn`Slack 📡 ${oneLine(slackProblem, PROBLEM_MAX)}`,
      mrkdwn`as of ${timeOfDay(atMs)}`,
    ),
    ...projects.slice(0, PROJECTS_MAX).map((project) => smallPrint(...projectLine(project))),
    heading('How it works'),
    ...ways,
  );
}

function openJobs(open: readonly Job[], reader: Reader): Part[] {
  const parts = open.slice(0, OPEN_JOBS_MAX).flatMap((job) => jobLine(job, reader));
  const hasMore = open.length > OPEN_JOBS_MAX;
  return hasMore
    ? [...parts, smallPrint(mrkdwn`\`/docs-agent list\`, in any channel, shows the others`)]
    : parts;
}

function section(title: string, empty: Mrkdwn, parts: readonly Part[]): Part[] {
  return [heading(title), ...(parts.length === 0 ? [smallPrint(empty)] : parts)];
}

function projectLine({ name, callsLeft, hourlyBudget, agent }: ProjectFacts): Mrkdwn[] {
  return [
    mrkdwn`Project ${oneLine(name, NAME_MAX)}`,
    agentLine(agent),
    mrkdwn`${callsLeft} of ${hourlyBudget} prompts and follow-ups left for this hour`,
  ];
}

function agentLine({ answeredAtMs, trouble }: AgentFacts): Mrkdwn {
  if (trouble !== null) return line(troubleSigns[trouble.kind], mrkdwn`since ${timeOfDay(trouble.sinceMs)}`);
  if (answeredAtMs === null) return mrkdwn`agent API not asked since the last start`;
  return mrkdwn`agent API ${signs.finished.icon} answered at ${timeOfDay(answeredAtMs)}`;
}
