import type { ChildEnv } from '../../support/child-program.ts';

/** Nothing listens there. (fetch refuses many of the lowest ports by itself, but not this one.) */
export const NOWHERE = '127.0.0.1:2';

/** In every secret of these settings, so that one search finds whatever leaks. */
export const SECRET = 'hunter2';

export const SIGNING_SECRET = `signing-${SECRET}`;

/** Valid settings for HTTP mode whose addresses do not answer: each test puts in its own. */
export const settings: ChildEnv = {
  SLACK_BOT_TOKEN: `xoxb-${SECRET}`,
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  SLACK_API_URL: `http://${NOWHERE}/api/`,
  AGENT_BASE_URL: `http://${NOWHERE}`,
  AGENT_API_KEY: `key-${SECRET}`,
  AGENT_PROJECT_ID: 'acme-docs',
  HOST: '127.0.0.1',
  PORT: '0',
};

/** The same for Socket Mode. */
export const socketSettings: ChildEnv = {
  ...settings,
  SLACK_SIGNING_SECRET: undefined,
  SLACK_APP_TOKEN: `xapp-${SECRET}`,
};
