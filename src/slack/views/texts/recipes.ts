import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** What people read about recipes. `name`: of the recipe. */
export const recipeTexts = {
  skipped: (name: string): Mrkdwn => mrkdwn`⏭️ *Skipped ${name}:* its last job is still open.`,
  paused: (who: Mrkdwn, name: string): Mrkdwn =>
    mrkdwn`⚠️ ${who}*Paused ${name}* after three failures in a row.`,
  resumed: (name: string, by: string): Mrkdwn => mrkdwn`▶️ *Resumed by ${by}.* ${name} runs again.`,
  notPaused: (name: string): Mrkdwn => mrkdwn`Already done: *${name}* isn't paused.`,
  formTitle: 'Run a recipe',
  running: (name: string, channel: Mrkdwn): Mrkdwn => mrkdwn`🚀 *Starting ${name}* in ${channel}.`,
  drafting: (name: string, channel: Mrkdwn): Mrkdwn => mrkdwn`📝 *Draft of ${name}* in ${channel}.`,
  /** `names`: of those that the person may run; null: of none. */
  unknown: (name: string, names: string | null): Mrkdwn => {
    const available = names === null ? mrkdwn`` : mrkdwn` Available: ${names}.`;
    return mrkdwn`There's no recipe “${name}”.${available} To send this as a request, put \`--\` in front.`;
  },
  title: mrkdwn`*Recipes*`,
  line: (name: string, when: string | null): Mrkdwn =>
    when === null ? mrkdwn`*${name}*` : mrkdwn`*${name}*, ${when}`,
  none: mrkdwn`There are no recipes yet.`,
  notBoth: mrkdwn`Choose a recipe or write a request, not both.`,
  openThread: 'Open the thread',
  noProject: mrkdwn`This recipe's project no longer exists. Ask an administrator of docs-agent.`,
  values: {
    empty: mrkdwn`Enter a value.`,
    too_long: mrkdwn`At most 500 characters.`,
    several_lines: mrkdwn`One line only.`,
  },
} as const;
