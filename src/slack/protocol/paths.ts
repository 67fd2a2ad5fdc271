/** Where Slack's requests arrive in HTTP mode. */
export const EVENTS_PATH = '/slack/events';
/** Where a workspace begins to install the app. */
export const INSTALL_PATH = '/slack/install';
/** Where Slack sends who installs the app back to. */
export const OAUTH_REDIRECT_PATH = '/slack/oauth_redirect';
