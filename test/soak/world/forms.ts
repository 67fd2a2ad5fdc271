import { setTimeout as pause } from 'node:timers/promises';
import type { FilledInValues } from '../../support/strict-slack/view-control.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import { until } from './until.ts';

const CONNECTED_WITHIN_MS = 300_000;
const OPEN_WITHIN_MS = 5_000;
const OPENED_TIMES_MAX = 20;
const TAKEN_WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

export interface Form {
  readonly slack: StrictSlack;
  /** Has no other form open meanwhile. */
  readonly person: string;
  readonly callbackId: string;
  /** The gesture that it is behind. */
  readonly open: () => Promise<unknown>;
  readonly values: FilledInValues;
}

/**
 * Opens the form, fills it in, and submits it until it is taken: who reads that something went wrong tries again.
 * `not_open`: Slack never showed it.
 */
export async function fillInForm({ slack, person, callbackId, open, values }: Form) {
  const { control } = slack;
  const isOpen = () => control.modal(person)?.callback_id === callbackId;
  if (control.modal(person) !== null) await control.close(person);
  for (let times = 0; !isOpen(); times += 1) {
    if (times >= OPENED_TIMES_MAX) return 'not_open';
    await connected(slack);
    await open();
    await until(isOpen, OPEN_WITHIN_MS);
  }
  control.fillIn(person, values);
  const endMs = Date.now() + TAKEN_WITHIN_MS;
  while (Date.now() < endMs) {
    await connected(slack);
    const { acknowledged, errors } = await control.submit(person);
    if (acknowledged && errors === null) return 'accepted';
    await pause(AGAIN_AFTER_MS);
  }
  return 'unclear';
}

/** Slack does not keep commands, presses and forms: without a connection, nothing would come of them. */
export async function connected({ socket }: StrictSlack): Promise<void> {
  await until(() => socket.connections() > 0, CONNECTED_WITHIN_MS);
}
