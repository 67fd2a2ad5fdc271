import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** What people read about recipes. `name`: of the recipe. */
export const recipeTexts = {
  skipped: (name: string): Mrkdwn => mrkdwn`⏭️ *Skipped ${name}:* its last job is still open.`,
  paused: (name: string): Mrkdwn => mrkdwn`⚠️ *Paused ${name}* after three failures in a row.`,
  resumed: (name: string, by: string): Mrkdwn => mrkdwn`▶️ *Resumed ${name}* by ${by}.`,
  notPaused: (name: string): Mrkdwn => mrkdwn`That's already settled: *${name}* isn't paused.`,
  adminsOnly: mrkdwn`🔒 Only administrators of docs-agent can resume a recipe.`,
} as const;
