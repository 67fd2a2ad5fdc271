import type { CommandName } from '../../../../jobs/requests/command.ts';
import { buttons } from '../../parts/buttons.ts';
import { type Mrkdwn, mrkdwn } from '../../parts/mrkdwn.ts';

/** A started job cannot be stopped: these are asked privately, before anything is stored in public. */
export const questions = {
  sure: (quoted: string): Mrkdwn =>
    mrkdwn`*Send ${quoted} to the agent as a new request?* Once it starts, it can't be cancelled.`,
  nearCommand: (command: CommandName): Mrkdwn => mrkdwn`Did you mean \`/docs-agent ${typed[command]}\`?`,
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
  settled: mrkdwn`Already done: the job was started.`,
  /** Thanks after an end, in the thread of a job. */
  keptThanks: mrkdwn`💬 Kept between people: it looks like a thank-you.`,
  sentAnyway: mrkdwn`👀 It goes to the agent.`,
  edited: (what: 'request' | 'reply'): Mrkdwn => mrkdwn`✏️ You edited a ${what} that was already sent.`,
  deleted: (what: 'request' | 'reply'): Mrkdwn =>
    mrkdwn`🗑️ You deleted a ${what} that was already sent: the agent still has it. A new reply can correct that.`,
  cannotStop: mrkdwn`⚠️ *A started job can't be stopped.* Your reply goes to the agent, which may go on all the same. *Stop watching*, behind *${buttons.details.label}*, only ends the updates here.`,
  correctionSent: mrkdwn`✏️ The correction goes to the agent.`,
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
};
