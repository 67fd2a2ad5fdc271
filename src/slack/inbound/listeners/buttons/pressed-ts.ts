const SLACK_TIME = /^\d{10}\.\d{6}$/;

/** When a button was pressed, by Slack's clock; undefined if Slack does not say it in its usual form. */
export function pressedTs({ action_ts: ts }: { readonly action_ts?: unknown }): string | undefined {
  return typeof ts === 'string' && SLACK_TIME.test(ts) ? ts : undefined;
}
