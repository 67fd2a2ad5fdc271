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
  /** The request that it is behind. */
  readonly open: () => Promise<unknown>;
  readonly values: FilledInValues;
}

type Outcome = 'accepted' | 'unclear' | 'not_open';

/**
 * Opens the form, fills it in, and submits it until it is taken: who reads that something went wrong tries again.
 * `not_open`: Slack never showed it.
 */
export async function fillInForm(form: Form): Promise<Outcome> {
  const { slack, person } = form;
  if (slack.control.modal(person) !== null) await slack.control.close(person);
  let outcome: Outcome = 'not_open';
  const endMs = Date.now() + TAKEN_WITHIN_MS;
  while (outcome !== 'accepted' && Date.now() < endMs) {
    if (!(await opened(form))) return outcome;
    outcome = await submitted(form, endMs);
  }
  return outcome;
}

async function opened({ slack, person, callbackId, open, values }: Form): Promise<boolean> {
  const isOpen = () => isShown(slack, person, callbackId);
  for (let times = 0; !isOpen(); times += 1) {
    if (times >= OPENED_TIMES_MAX) return false;
    await connected(slack);
    await open();
    await until(isOpen, OPEN_WITHIN_MS);
  }
  slack.control.fillIn(person, values);
  return true;
}

/** `unclear`, too, if an error takes the place of the form. */
async function submitted({ slack, person, callbackId }: Form, endMs: number): Promise<Outcome> {
  while (Date.now() < endMs && isShown(slack, person, callbackId)) {
    await connected(slack);
    const { acknowledged, errors } = await slack.control.submit(person);
    if (acknowledged && errors === null) return 'accepted';
    await pause(AGAIN_AFTER_MS);
  }
  return 'unclear';
}

function isShown({ control }: StrictSlack, person: string, callbackId: string): boolean {
  return control.modal(person)?.callback_id === callbackId;
}

/** Slack does not keep commands, presses and forms: without a connection, they would be lost. */
export async function connected({ socket }: StrictSlack): Promise<void> {
  await until(() => socket.connections() > 0, CONNECTED_WITHIN_MS);
}
