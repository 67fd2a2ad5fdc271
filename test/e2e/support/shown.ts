import { expect } from 'vitest';
import type { StrictSlack } from '../../support/strict-slack.ts';

/** The program's own markup: mentions of `users`, names of channels, times. */
const OURS = /^<(?:#C[A-Z0-9]+|!date\^\d+\^(?:\{ago\}|(?:\{date_short_pretty\} )?\{time\})\|[\d: -]+ UTC)>$/;

/**
 * Nothing that the program has shown so far, in a message, an edit or an answer to a command, holds anything live but
 * what is ours. The text of a message says all that its blocks say: `test/slack/views/support/expect-safe.ts`.
 */
export function expectHarmless(slack: StrictSlack, users: readonly string[], ours = /^$/): void {
  const calls = ['chat.postMessage', 'chat.update'].flatMap((method) => slack.calls(method));
  for (const { args } of calls) {
    // They would make mentions and links of plain words.
    expect(args).not.toHaveProperty('parse');
    expect(args).not.toHaveProperty('link_names');
  }
  const shown = [...calls.map(({ args }) => args), ...slack.deliveries().map(({ answer }) => answer)];
  const tokens = shown.flatMap((one) => String(Object(one).text ?? '').match(/<[^>]*>?/g) ?? []);
  const isOurs = (token: string) =>
    users.includes(token.slice(2, -1)) || OURS.test(token) || ours.test(token);
  expect(tokens.filter((token) => !isOurs(token))).toEqual([]);
}
