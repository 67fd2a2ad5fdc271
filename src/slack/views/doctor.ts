import type { HostFacts, ServiceFacts } from '../../jobs/service-facts.ts';
import { message, paragraph, type SlackMessage, smallPrint } from './parts/message.ts';
import { channelMention, type Mrkdwn, mrkdwn, timeOfDay } from './parts/mrkdwn.ts';
import { oneLine } from './parts/untrusted.ts';

/** The lines of `/docs-agent doctor`. */
export const doctor = {
  fine: mrkdwn`🩺 *All is well.*`,
  troubled: (count: number): Mrkdwn => mrkdwn`🩺 *${count === 1 ? '1 problem' : `${count} problems`}*`,
  slack: {
    connected: mrkdwn`✅ *Slack* connected`,
    disconnected: (problem: string): Mrkdwn => mrkdwn`❌ *Slack* ${problem}`,
    refuses: (code: string): Mrkdwn =>
      mrkdwn`❌ *Slack* refuses the bot (${code}). Reinstall the app, or ask an operator of docs-agent for a new token.`,
    noAnswer: mrkdwn`⚠️ *Slack* doesn't say what the app may do. Please try again in a minute.`,
  },
  scopes: {
    granted: mrkdwn`✅ *Permissions* all granted`,
    missing: (names: string): Mrkdwn =>
      mrkdwn`❌ *Permissions* missing: ${names}. Add them under "OAuth &amp; Permissions", then reinstall the app.`,
  },
  agent: {
    answered: (project: string, at: Mrkdwn): Mrkdwn => mrkdwn`✅ *Agent* (${project}) answered ${at}`,
    notAsked: (project: string): Mrkdwn => mrkdwn`✅ *Agent* (${project}) no contact since the last restart`,
    rateLimited: (project: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`⏳ *Agent* (${project}) has limited requests since ${since}. They continue automatically.`,
    unreachable: (project: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`❌ *Agent* (${project}) out of reach since ${since}. Requests are saved and continue automatically.`,
    needsAdmin: (project: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`❌ *Agent* (${project}) has refused the key or the project since ${since}. An operator of docs-agent must check both.`,
  },
  paused: {
    reads: (project: string, at: Mrkdwn): Mrkdwn =>
      mrkdwn`⏳ *Agent* (${project}) asked for a pause: job updates resume at ${at}.`,
    calls: (project: string, at: Mrkdwn): Mrkdwn =>
      mrkdwn`⏳ *Agent* (${project}) asked for a pause: requests and replies go out again at ${at}.`,
  },
  codeHost: {
    answered: (host: string, at: Mrkdwn): Mrkdwn => mrkdwn`✅ *Code host* (${host}) answered ${at}`,
    notAsked: (host: string): Mrkdwn => mrkdwn`✅ *Code host* (${host}) no contact since the last restart`,
    rateLimited: (host: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`⏳ *Code host* (${host}) has limited requests since ${since}. Pull requests are checked less often until then.`,
    unreachable: (host: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`❌ *Code host* (${host}) out of reach since ${since}. Messages show pull requests as they were last seen.`,
    needsAdmin: (host: string, since: Mrkdwn): Mrkdwn =>
      mrkdwn`❌ *Code host* (${host}) has refused the token or the App since ${since}. An operator of docs-agent must renew it. Messages show pull requests as they were last seen.`,
  },
  notices: {
    reached: (channel: Mrkdwn): Mrkdwn => mrkdwn`✅ *Notices* reach ${channel}`,
    unknown: (channel: Mrkdwn): Mrkdwn =>
      mrkdwn`⏳ *Notices* Slack didn't say whether they reach ${channel}. Ask again in a minute.`,
    refused: (channel: Mrkdwn, code: string): Mrkdwn =>
      mrkdwn`❌ *Notices* don't reach ${channel} (${code}). Invite me there, or change the notice channels in \`/docs-agent settings\`.`,
  },
  work: (problem: string): Mrkdwn => mrkdwn`❌ *Work* ${problem}`,
  more: mrkdwn`Operators: run \`docs-agent doctor\` on the server for the full check.`,
} as const;

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

type ServiceWords = typeof doctor.agent | typeof doctor.codeHost;

interface Finding {
  readonly isProblem: boolean;
  readonly words: Mrkdwn;
}

export function doctorView(facts: DoctorFacts): SlackMessage {
  const { slackProblem, slack, projects, codeHosts, pauses, work } = facts;
  const findings = [
    connection(slackProblem),
    scopes(slack),
    ...projects.map(agent),
    ...pauses.map(paused),
    ...codeHosts.map(codeHost),
    ...notices(slack),
    ...work.map(stopped),
  ];
  const count = findings.filter(({ isProblem }) => isProblem).length;
  return message(
    paragraph(count === 0 ? doctor.fine : doctor.troubled(count)),
    paragraph(linesOf(findings)),
    smallPrint(doctor.more),
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
  const said = slack === null ? [] : [scopes(slack), ...notices(slack)];
  const findings = [...said, ...refused.map(agent), ...codeHosts.map(codeHost), ...work.map(stopped)];
  return findings.length === 0 ? null : linesOf(findings);
}

function linesOf(findings: readonly Finding[]): Mrkdwn {
  const problems = findings.filter(({ isProblem }) => isProblem);
  const sorted = [...problems, ...findings.filter(({ isProblem }) => !isProblem)].slice(0, LINES_MAX);
  return { mrkdwn: sorted.map(({ words }) => words.mrkdwn).join('\n') };
}

function connection(slackProblem: string | null): Finding {
  return slackProblem === null
    ? fine(doctor.slack.connected)
    : problem(doctor.slack.disconnected(oneLine(slackProblem, WORDS_MAX)));
}

function scopes({ scopes: said }: SlackFacts): Finding {
  if (said === null) return problem(doctor.slack.noAnswer);
  if ('refused' in said) return problem(doctor.slack.refuses(oneLine(said.refused, WORDS_MAX)));
  const { missing } = said;
  return missing.length === 0
    ? fine(doctor.scopes.granted)
    : problem(doctor.scopes.missing(oneLine(missing.join(', '), WORDS_MAX)));
}

function agent({ name, agent: facts }: DoctorFacts['projects'][number]): Finding {
  return service(doctor.agent, name, facts);
}

function paused({ name, what, untilMs }: AgentPause): Finding {
  return problem(doctor.paused[what](oneLine(name, WORDS_MAX), timeOfDay(untilMs)));
}

function codeHost({ host, facts }: HostFacts): Finding {
  return service(doctor.codeHost, host, facts);
}

function service(words: ServiceWords, name: string, { answeredAtMs, trouble }: ServiceFacts): Finding {
  const named = oneLine(name, WORDS_MAX);
  if (trouble === null) {
    return fine(
      answeredAtMs === null ? words.notAsked(named) : words.answered(named, timeOfDay(answeredAtMs)),
    );
  }
  const since = timeOfDay(trouble.sinceMs);
  switch (trouble.kind) {
    case 'rate_limited':
      return fine(words.rateLimited(named, since));
    case 'unreachable':
      return problem(words.unreachable(named, since));
    case 'needs_admin':
      return problem(words.needsAdmin(named, since));
  }
}

function notices({ noticeChannels }: SlackFacts): Finding[] {
  return noticeChannels.map(({ channelId, reach }) => {
    const channel = channelMention(channelId);
    if (reach === null) return fine(doctor.notices.unknown(channel));
    return reach === 'reached'
      ? fine(doctor.notices.reached(channel))
      : problem(doctor.notices.refused(channel, oneLine(reach.refused, WORDS_MAX)));
  });
}

function stopped(words: string): Finding {
  return problem(doctor.work(oneLine(words, WORDS_MAX)));
}

function fine(words: Mrkdwn): Finding {
  return { isProblem: false, words };
}

function problem(words: Mrkdwn): Finding {
  return { isProblem: true, words };
}
