import { clockFrom, systemClock } from '../../../src/runtime/clock.ts';
import { alice, bob, general, random } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import { type StrictSlack, startStrictSlack } from '../../support/strict-slack.ts';
import { notices, type SlackServer } from './outside.ts';

/** What Slack puts off for this long is about telling the program again: after a minute, and after five. */
const LONG_MS = 30_000;
const HASTE = 15;

/** The machine's time; but waits of half a minute or more are fifteen times as short. */
const hastyClock = clockFrom({
  ...systemClock,
  at: (atMs, callback) => {
    const delayMs = atMs - systemClock.now();
    return systemClock.at(delayMs < LONG_MS ? atMs : systemClock.now() + delayMs / HASTE, callback);
  },
});

/** A Slack with forms and private answers, which delivers a message until it is acknowledged. */
export async function startStrictServer(): Promise<StrictSlack & Pick<SlackServer, 'places'>> {
  const slack = await startStrictSlack({ clock: hastyClock, app: { mode: 'socket' } });
  slack.control.declareAgent(true);
  slack.control.openChannel({ id: notices, name: 'notices', members: [alice, bob, strictApp.botUserId] });
  return { ...slack, places: [general, random, notices, alice] };
}
