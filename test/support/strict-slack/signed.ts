import { createSignedSlack, type SignedSlack } from '../signed-slack.ts';
import { strictApp } from './ids.ts';
import type { Program } from './program.ts';

/** Signs requests to a program in HTTP mode as the strict Slack does, and sends what it would not. */
export function signedSlackOf({ env }: Pick<Program, 'env'>, teamId: string = strictApp.teamId): SignedSlack {
  const { signingSecret } = strictApp;
  return createSignedSlack({ url: `http://127.0.0.1:${env.PORT}/slack/events`, signingSecret, teamId });
}
