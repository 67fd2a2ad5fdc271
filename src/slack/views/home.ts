import type { Button } from '@slack/types';
import type { ServiceFacts, ServiceReport, TroubleWords } from '#jobs/agent-job.ts';
import type { NeedingJob } from '#jobs/follow-ups/follow-up.ts';
import { type Job, mayStartAgain } from '#jobs/job.ts';
import { jobStandingOf, lastPullRequestOf } from '#jobs/pull-requests/standing.ts';
import { buttons } from './buttons.ts';
import { cardActions, jobLine, type Reader, undeliveredWarning } from './job.ts';
import {
  type Blocks,
  buttonRow,
  heading,
  linkButton,
  message,
  namingJob,
  pressButton,
  type SlackMessage,
  smallPrint,
  targetButton,
} from './message.ts';
import { closedPlace, tryAgainButton } from './private-answers.ts';
import {
  channelMention,
  counted,
  joined,
  listed,
  type Mrkdwn,
  moment,
  mrkdwn,
  oneLine,
  type Parts,
} from './text.ts';

const PROBLEM_MAX = 200;

export const NEEDING_JOBS_MAX = 6;
export const OPEN_JOBS_MAX = 8;
export const PULL_REQUESTS_MAX = 5;
export const PROJECTS_MAX = 10;
const PLACES_MAX = 5;

export type HomeFacts = Readonly<{
  /** Waiting for a decision, newest first. */
  needing: readonly NeedingJob[];
  /** Newest first. One extra shows that there are more. */
  open: readonly Job[];
  withPullRequest: readonly Job[];
  projects: readonly (ProjectFacts & Readonly<{ callsLeft: number; hourlyBudget: number }>)[];
  /** What is wrong with incoming requests; null: nothing. */
  slackProblem: string | null;
  /** Null: the reader is no administrator. */
  forAdmin: AdminFacts | null;
  atMs: number;
}>;

type ProjectFacts = Readonly<{ name: string; agent: ServiceFacts }>;

type CheckedFacts = Readonly<{
  slack: SlackFacts;
  services: readonly ServiceReport[];
  work: readonly string[];
}>;

interface AdminFacts extends CheckedFacts {
  /** Messages wait there for access. `reason`: Slack's error code. */
  readonly closedPlaces: readonly Readonly<{ channelId: string; reason: string; posts: number }>[];
}

export function homeView(facts: HomeFacts, reader: Reader): SlackMessage {
  const { needing, open, withPullRequest, projects, slackProblem, atMs, forAdmin } = facts;
  return message(
    mrkdwn`Ask for a documentation change, get the pull request.`,
    buttonRow(pressButton(buttons.startJob, 'home')),
    needing.length > 0 && heading('Needs your attention'),
    needing.map((one) => needingJob(one, reader)),
    heading('Open'),
    open.length === 0 && smallPrint(mrkdwn`Nothing is open.`),
    open.slice(0, OPEN_JOBS_MAX).map((job) => jobLine(job, reader)),
    open.length > OPEN_JOBS_MAX && smallPrint(mrkdwn`\`/docs-agent list\` shows the rest`),
    heading('Recent pull requests'),
    withPullRequest.length === 0 && smallPrint(mrkdwn`None yet.`),
    withPullRequest.map((job) => jobLine(job, reader)),
    heading('Status'),
    smallPrint(
      slackProblem === null ? '✅ Slack is connected' : `⚠️ *Slack* · ${oneLine(slackProblem, PROBLEM_MAX)}`,
      mrkdwn`as of ${moment(atMs)}`,
    ),
    projects.map((project) =>
      smallPrint(
        agentFinding(project).words,
        `${project.callsLeft} of ${project.hourlyBudget} requests and replies left this hour`,
      ),
    ),
    forAdmin !== null && administrators(forAdmin),
  );
}

function needingJob(one: NeedingJob, reader: Reader): Blocks {
  const { job, undecided } = one;
  const dismiss = targetButton(buttons.dismissNeed, job, { need: needOf(one) ?? undefined });
  return [
    jobLine(job, reader),
    undecided !== null && smallPrint(undeliveredWarning(undecided.count)),
    namingJob(job, reader.names, buttonRow(decision(one), dismiss)),
  ];
}

function decision({ job, undecided }: NeedingJob): Parts<Button> {
  const { stage } = job;
  if (stage.kind === 'card_failed') return tryAgainButton(stage.reason, job);
  const [action] = listed(cardActions(job, { sendNow: null, undecided }));
  return action ?? linkButton(buttons.viewPullRequest, lastPullRequestOf(job)?.url);
}

function administrators(facts: AdminFacts): Blocks {
  return [
    heading('For administrators'),
    linesOf(findingsOf(facts)),
    facts.closedPlaces.slice(0, PLACES_MAX).map(({ channelId, reason, posts }) => {
      const waiting = counted(posts, 'message is', 'messages are');
      return mrkdwn`⏳ ${closedPlace(reason, channelId)} ${waiting} waiting.`;
    }),
    smallPrint(mrkdwn`Checked ${moment(facts.slack.atMs)}`, doctorOnServer),
  ];
}

const doctorOnServer = mrkdwn`Operators: run \`docs-agent doctor\` on the server for the full check.`;

const WORDS_MAX = 120;
const LINES_MAX = 10;

export type SlackFacts = Readonly<{
  /** `refused`: Slack's error code; null: no answer. */
  scopes: { readonly missing: readonly string[] } | { readonly refused: string } | null;
  noticeChannels: readonly ReachedChannel[];
  atMs: number;
}>;

/** `refused` and null as above. */
export type ReachedChannel = Readonly<{
  channelId: string;
  reach: 'reached' | { readonly refused: string } | null;
}>;

export interface DoctorFacts extends Pick<HomeFacts, 'slackProblem'>, CheckedFacts {
  readonly projects: readonly ProjectFacts[];
  readonly pauses: readonly AgentPause[];
}

export type AgentPause = Readonly<{ name: string; what: 'reads' | 'calls'; untilMs: number }>;

type Finding = Readonly<{ isProblem: boolean; words: Mrkdwn }>;

type Words = Parameters<typeof mrkdwn>;
const fine = (...words: Words) => ({ isProblem: false, words: mrkdwn(...words) });
const problem = (...words: Words) => ({ isProblem: true, words: mrkdwn(...words) });

export function doctorView(facts: DoctorFacts): SlackMessage {
  const { slackProblem, projects, pauses } = facts;
  const findings = [
    slackProblem === null
      ? fine`✅ *Slack* connected`
      : problem`❌ *Slack* ${oneLine(slackProblem, WORDS_MAX)}`,
    ...findingsOf(facts, [...projects.map(agentFinding), ...pauses.map(pauseFinding)]),
  ];
  const count = findings.filter(({ isProblem }) => isProblem).length;
  return message(
    count === 0 ? mrkdwn`🩺 *All is well.*` : mrkdwn`🩺 *${counted(count, 'problem')}*`,
    linesOf(findings),
    smallPrint(doctorOnServer),
  );
}

function findingsOf({ slack, services, work }: CheckedFacts, agents: readonly Finding[] = []): Finding[] {
  return [
    scopesFinding(slack),
    ...agents,
    ...services.map(serviceFinding),
    ...slack.noticeChannels.map(noticeFinding),
    ...work.map((words) => problem`❌ *Work* ${oneLine(words, WORDS_MAX)}`),
  ];
}

function linesOf(findings: readonly Finding[]) {
  const sorted = findings.toSorted((a, b) => Number(b.isProblem) - Number(a.isProblem)).slice(0, LINES_MAX);
  return joined(
    sorted.map(({ words }) => words),
    '\n',
  );
}

function scopesFinding({ scopes: said }: SlackFacts): Finding {
  if (said === null) {
    return problem`⚠️ *Slack* doesn't say what the app may do. Please try again in a minute.`;
  }
  if ('refused' in said) {
    return problem`❌ *Slack* refuses the bot (${oneLine(said.refused, WORDS_MAX)}). Reinstall the app, or ask an operator of docs-agent for a new token.`;
  }
  if (said.missing.length === 0) return fine`✅ *Permissions* all granted`;
  const names = oneLine(said.missing.join(', '), WORDS_MAX);
  return problem`❌ *Permissions* missing: ${names}. Add them under "OAuth &amp; Permissions", then reinstall the app.`;
}

const agentWords: TroubleWords = {
  rate_limited: ['has been limiting requests', 'They continue automatically.'],
  unreachable: ['out of reach', 'Requests are saved and continue automatically.'],
  needs_admin: ['has been refusing the key or the project', 'An operator of docs-agent must check both.'],
};

function agentFinding({ name, agent: facts }: ProjectFacts): Finding {
  return serviceFinding({ kind: 'Agent', name, facts, words: agentWords });
}

function serviceFinding({ kind, name, facts: { answeredAtMs, trouble }, words }: ServiceReport): Finding {
  const who = mrkdwn`*${kind}* (${oneLine(name, WORDS_MAX)})`;
  if (trouble === null) {
    return answeredAtMs === null
      ? fine`✅ ${who} no contact since the last restart`
      : fine`✅ ${who} answered ${moment(answeredAtMs)}`;
  }
  const [what, then] = words[trouble.kind];
  const news = mrkdwn`${who} ${what} since ${moment(trouble.sinceMs)}. ${then}`;
  return trouble.kind === 'rate_limited' ? fine`⏳ ${news}` : problem`❌ ${news}`;
}

function pauseFinding({ name, what, untilMs }: AgentPause): Finding {
  const resumes = what === 'reads' ? 'job updates resume at' : 'requests and replies go out again at';
  return problem`⏳ *Agent* (${oneLine(name, WORDS_MAX)}) asked for a pause: ${resumes} ${moment(untilMs)}.`;
}

function noticeFinding({ channelId, reach }: ReachedChannel): Finding {
  const channel = channelMention(channelId);
  if (reach === null) {
    return fine`⏳ *Notices* Slack didn't say whether they reach ${channel}. Ask again in a minute.`;
  }
  if (reach === 'reached') return fine`✅ *Notices* reach ${channel}`;
  return problem`❌ *Notices* don't reach ${channel} (${oneLine(reach.refused, WORDS_MAX)}). Invite me there, or change the notice channels in \`/docs-agent settings\`.`;
}

export const NEEDED_FOR_MS = 7 * 86_400_000;

export function needsPerson(one: NeedingJob): boolean {
  const need = needOf(one);
  return need !== null && need !== one.job.dismissedNeed;
}

export function needOf({ job, undecided }: NeedingJob): string | null {
  const { stage, trouble, creates, cards, turn } = job;
  if (undecided !== null) return `replies:${undecided.callId}:${undecided.count}`;
  if (trouble?.kind === 'needs_admin') return `administrator:${trouble.sinceMs}`;
  switch (stage.kind) {
    case 'opening':
      return stage.waitsFor === undefined ? null : `${stage.waitsFor}:${cards}`;
    case 'create_unknown':
      return `start:${stage.callId}`;
    case 'card_failed':
      return `card:${cards}`;
    case 'rejected':
      return `rejected:${creates}`;
    case 'ended': {
      if (mayStartAgain(job)) return `${stage.status}:${creates}:${turn}`;
      const standing = stage.status === 'completed' ? jobStandingOf(job) : null;
      const isToDo = standing === 'checks_failing' || standing === 'changes_requested';
      return isToDo ? `${standing}:${turn}` : null;
    }
    default:
      return null;
  }
}
