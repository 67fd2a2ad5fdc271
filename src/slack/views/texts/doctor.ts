import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** What `/docs-agent doctor` says, one line for each thing. */
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
