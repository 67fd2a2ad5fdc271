import type { CommandName } from '../../../../jobs/requests/command.ts';
import { duration } from '../../parts/duration.ts';
import { ago, type Mrkdwn, mrkdwn } from '../../parts/mrkdwn.ts';

/** A started job cannot be stopped: these are asked privately, before anything is stored in public. */
export const questions = {
  sure: (quoted: string): Mrkdwn =>
    mrkdwn`*Send ${quoted} to the agent as a new request?* Once it starts, it can't be cancelled.`,
  nearCommand: (command: CommandName): Mrkdwn => mrkdwn`*Did you mean* \`/docs-agent ${typed[command]}\`?`,
  noSuchJob: (quotedWord: string, quoted: string): Mrkdwn =>
    mrkdwn`No job ${quotedWord}. *Send ${quoted} to the agent as a new request?*`,
  /** @param before as in "40 seconds ago" */
  ago: {
    unknown: 'a moment ago',
    now: 'just now',
    seconds: (seconds: number) => (seconds === 1 ? '1 second ago' : `${seconds} seconds ago`),
  },
  sameRequest: (before: string): Mrkdwn => mrkdwn`*You asked for this ${before}.*`,
  starting: mrkdwn`🚀 *Starting.* The card is about to appear.`,
  settled: mrkdwn`Already done: the job has started.`,
  question: mrkdwn`*That looks like a question.* I change documentation; I can't answer.`,
  askForThis: 'Ask for this change',
  help: 'Help',
  cannotStop: mrkdwn`*I can't stop the agent: it has no way to be stopped.*`,
  latestRunning: (title: string, sinceMs: number): Mrkdwn =>
    mrkdwn`Your latest running request: ${title} · ${ago(sinceMs)}`,
  running: (title: string, sinceMs: number): Mrkdwn => mrkdwn`${title} · ${ago(sinceMs)}`,
  nothingRuns: mrkdwn`Nothing of yours is running.`,
  nothingRunsHere: mrkdwn`Nothing is running in this thread.`,
  stillWorking: (forMs: number): Mrkdwn => mrkdwn`*Still working*, ${duration(forMs)} so far`,
  cannotAnswer: mrkdwn`The agent can't answer questions; I'll post the pull request here.`,
  /** In the thread of a job. */
  keptThanks: mrkdwn`*Kept between people: it looks like a thank-you.*`,
  sendToAgent: 'Send to the agent',
  sendQuoted: (quoted: string) => `Send ${quoted} to the agent`,
  muted: mrkdwn`🔇 *Muted.* Replies stay between people until \`unmute\`.`,
  sentAnyway: mrkdwn`👀 On its way to the agent.`,
  edited: (what: 'request' | 'reply'): Mrkdwn => mrkdwn`✏️ You edited a ${what} that was already sent.`,
  deleted: (what: 'request' | 'reply'): Mrkdwn =>
    mrkdwn`🗑️ You deleted a ${what} that was already sent: the agent still has it. A new reply can correct that.`,
  correctionSent: mrkdwn`✏️ The correction is on its way to the agent.`,
} as const;

/** How each command is typed. */
const typed: Readonly<Record<CommandName, string>> = {
  help: 'help',
  list: 'list',
  status: 'status',
  watch: 'watch job_123',
  settings: 'settings',
  doctor: 'doctor',
  report: 'report',
  recipes: 'recipes',
};
