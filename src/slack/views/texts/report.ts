import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** What `/docs-agent report` says. */
export const reportTexts = {
  /** Both times. */
  title: (since: Mrkdwn, until: Mrkdwn): Mrkdwn => mrkdwn`📊 *docs-agent* from ${since} to ${until}`,
  none: mrkdwn`*No starts*`,
  starts: (count: number, from: string): Mrkdwn => mrkdwn`*${plural(count, 'start', 'starts')}:* ${from}`,
  sources: {
    command: (count: number): string => `${count} by command`,
    form: (count: number): string => `${count} by form`,
    mention: (count: number): string => `${count} by mention`,
    direct_message: (count: number): string => `${count} by direct message`,
    shortcut: (count: number): string => `${count} by the message menu`,
    home: (count: number): string => `${count} from Home`,
    reaction: (count: number): string => `${count} by emoji`,
    workflow: (count: number): string => `${count} by workflow`,
    schedule: (count: number): string => `${count} by schedule`,
    webhook: (count: number): string => `${count} by webhook`,
    again: (count: number): string => `${count} started again`,
  },
  became: (what: string): Mrkdwn => mrkdwn`*What became of them:* ${what}`,
  fates: {
    pull_request: (count: number): string => `${count} with a pull request`,
    done: (count: number): string => `${count} done without a pull request`,
    failed: (count: number): string => `${count} failed`,
    refused: (count: number): string => `${count} not accepted`,
    gone: (count: number): string => `${count} no longer known to the agent`,
    archived: (count: number): string => `${count} archived`,
    unclear: (count: number): string => `${count} unclear`,
    open: (count: number): string => `${count} still open`,
  },
  unclearReplies: (count: number): Mrkdwn =>
    mrkdwn`❓ ${plural(count, 'reply', 'replies')} that couldn't be confirmed`,
  pullRequests: (what: string): Mrkdwn => mrkdwn`*Pull requests:* ${what}`,
  states: {
    merged: (count: number): string => `${count} merged`,
    open: (count: number): string => `${count} open`,
    closed: (count: number): string => `${count} closed without merging`,
    unknown: (count: number): string => `${count} not followed`,
  },
  took: (half: string, most: string): Mrkdwn =>
    mrkdwn`*From request to pull request:* half within ${half}, nine of ten within ${most}`,
  budget: (peak: number, limit: number): Mrkdwn =>
    mrkdwn`*Busiest hour:* ${peak} of ${limit} calls to the agent`,
  more: mrkdwn`Whoever runs docs-agent gets other periods, CSV and JSON from \`docs-agent report\` on the machine.`,
  counting: mrkdwn`⏳ *Counting.* It takes a moment; I'll show it here.`,
} as const;
