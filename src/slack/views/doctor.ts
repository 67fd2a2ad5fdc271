import type { TroubleKind } from '../../jobs/job.ts';
import type { HostFacts, ServiceFacts } from '../../jobs/service-facts.ts';
import { message, paragraph, type SlackMessage, smallPrint } from './parts/message.ts';
import { channelMention, counted, joined, type Mrkdwn, mrkdwn, timeOfDay } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';

export const doctorOnServer = mrkdwn`Operators: run \`docs-agent doctor\` on the server for the full check.`;

const WORDS_MAX = 120;
const LINES_MAX = 10;

export interface SlackFacts {
  /** Missing permissions; `refused`: Slack's error code; null: Slack did not say. */
  readonly scopes: { readonly missing: readonly string[] } | { readonly refused: string } | null;
  readonly noticeChannels: readonly ReachedChannel[];
}

/** Whether the bot may post in a channel. `refused`: Slack's error code; null: Slack did not say. */
export interface ReachedChannel {
  readonly channelId: string;
  readonly reach: 'reached' | { readonly refused: string } | null;
}

export interface SlackChecked extends SlackFacts {
  readonly atMs: number;
}

/** What the running program knows, and what Slack said. */
export interface DoctorFacts {
  /** What is wrong with the incoming connection, or null. */
  readonly slackProblem: string | null;
  readonly slack: SlackFacts;
  readonly projects: readonly { readonly name: string; readonly agent: ServiceFacts }[];
  readonly codeHosts: readonly HostFacts[];
  /** Projects that the agent API asked to leave alone for a while. */
  readonly pauses: readonly AgentPause[];
  /** What keeps the program from working, in its own words. */
  readonly work: readonly string[];
}

export interface AgentPause {
  readonly name: string;
  readonly what: 'reads' | 'calls';
  readonly untilMs: number;
}

interface Finding {
  readonly isProblem: boolean;
  readonly words: Mrkdwn;
}

const fine = (...words: Parameters<typeof mrkdwn>): Finding => ({
  isProblem: false,
  words: mrkdwn(...words),
});
const problem = (...words: Parameters<typeof mrkdwn>): Finding => ({
  isProblem: true,
  words: mrkdwn(...words),
});

export function doctorView(facts: DoctorFacts): SlackMessage {
  const { slackProblem, slack, projects, codeHosts, pauses, work } = facts;
  const findings = [
    slackProblem === null
      ? fine`✅ *Slack* connected`
      : problem`❌ *Slack* ${oneLine(slackProblem, WORDS_MAX)}`,
    scopes(slack),
    ...projects.map(agent),
    ...pauses.map(paused),
    ...codeHosts.map(codeHost),
    ...slack.noticeChannels.map(notices),
    ...work.map(stopped),
  ];
  const count = findings.filter(({ isProblem }) => isProblem).length;
  return message(
    paragraph(count === 0 ? mrkdwn`🩺 *All is well.*` : mrkdwn`🩺 *${counted(count, 'problem')}*`),
    paragraph(linesOf(findings)),
    smallPrint(doctorOnServer),
  );
}

/**
 * What `doctor` adds on the home tab: the state of Slack, the agent and the code hosts. `slack`: null if
 * nobody has asked yet.
 */
export function doctorAtHome(
  { projects, codeHosts, work }: Pick<DoctorFacts, 'projects' | 'codeHosts' | 'work'>,
  slack: SlackFacts | null,
): Mrkdwn | null {
  const refused = projects.filter((project) => project.agent.trouble?.kind === 'needs_admin');
  const findings = [
    ...(slack === null ? [] : [scopes(slack), ...slack.noticeChannels.map(notices)]),
    ...refused.map(agent),
    ...codeHosts.map(codeHost),
    ...work.map(stopped),
  ];
  return findings.length === 0 ? null : linesOf(findings);
}

function linesOf(findings: readonly Finding[]): Mrkdwn {
  const sorted = findings.toSorted((a, b) => Number(b.isProblem) - Number(a.isProblem)).slice(0, LINES_MAX);
  return joined(
    sorted.map(({ words }) => words),
    '\n',
  );
}

function scopes({ scopes: said }: SlackFacts): Finding {
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

type Words = Readonly<Record<TroubleKind, readonly [what: string, then: string]>>;

const agentWords: Words = {
  rate_limited: ['has limited requests', 'They continue automatically.'],
  unreachable: ['out of reach', 'Requests are saved and continue automatically.'],
  needs_admin: ['has refused the key or the project', 'An operator of docs-agent must check both.'],
};

const hostWords: Words = {
  rate_limited: ['has limited requests', 'Pull requests are checked less often until then.'],
  unreachable: ['out of reach', 'Messages show pull requests as they were last seen.'],
  needs_admin: [
    'has refused the token or the App',
    'An operator of docs-agent must renew it. Messages show pull requests as they were last seen.',
  ],
};

function agent({ name, agent: facts }: DoctorFacts['projects'][number]): Finding {
  return service(mrkdwn`*Agent* (${oneLine(name, WORDS_MAX)})`, facts, agentWords);
}

function codeHost({ host, facts }: HostFacts): Finding {
  return service(mrkdwn`*Code host* (${oneLine(host, WORDS_MAX)})`, facts, hostWords);
}

function service(who: Mrkdwn, { answeredAtMs, trouble }: ServiceFacts, words: Words): Finding {
  if (trouble === null) {
    return answeredAtMs === null
      ? fine`✅ ${who} no contact since the last restart`
      : fine`✅ ${who} answered ${timeOfDay(answeredAtMs)}`;
  }
  const [what, then] = words[trouble.kind];
  const since = timeOfDay(trouble.sinceMs);
  return trouble.kind === 'rate_limited'
    ? fine`⏳ ${who} ${what} since ${since}. ${then}`
    : problem`❌ ${who} ${what} since ${since}. ${then}`;
}

function paused({ name, what, untilMs }: AgentPause): Finding {
  const resumes = what === 'reads' ? 'job updates resume at' : 'requests and replies go out again at';
  return problem`⏳ *Agent* (${oneLine(name, WORDS_MAX)}) asked for a pause: ${resumes} ${timeOfDay(untilMs)}.`;
}

function notices({ channelId, reach }: ReachedChannel): Finding {
  const channel = channelMention(channelId);
  if (reach === null) {
    return fine`⏳ *Notices* Slack didn't say whether they reach ${channel}. Ask again in a minute.`;
  }
  if (reach === 'reached') return fine`✅ *Notices* reach ${channel}`;
  return problem`❌ *Notices* don't reach ${channel} (${oneLine(reach.refused, WORDS_MAX)}). Invite me there, or change the notice channels in \`/docs-agent settings\`.`;
}

function stopped(words: string): Finding {
  return problem`❌ *Work* ${oneLine(words, WORDS_MAX)}`;
}
