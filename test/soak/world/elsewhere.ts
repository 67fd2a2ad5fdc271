import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SlackMessage } from '../../support/local-slack.ts';
import { signedHeaders } from '../../support/signed-webhook.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import { acknowledgements } from './acknowledged.ts';
import type { Answer } from './asking.ts';
import { connected } from './forms.ts';
import { until } from './until.ts';

/** The emoji that makes a draft. */
export const MARK = 'memo';
export const hookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** On a busy machine, with a kill every few seconds, one has taken ten minutes. */
const DRAFT_WITHIN_MS = 900_000;
const STARTED_WITHIN_MS = 60_000;
const CALLED_WITHIN_MS = 60_000;
const HEARD_WITHIN_MS = 20_000;
const AGAIN_AFTER_MS = 1_000;
const COPIES_MAX = 4;

interface Place {
  readonly slack: StrictSlack;
  readonly ports: readonly number[];
  readonly channel: string;
  readonly person: string;
}

/** Each story that a webhook starts has its own: a recipe with an open job is skipped. */
export function recipeOf(story: number): string {
  return `part-${story}`;
}

/** Marks a message, waits for its draft, and presses *Start* until that is seen to be done. */
export async function mark({ slack, channel, person }: Place, message: SlackMessage): Promise<Answer> {
  const { control } = slack;
  await control.react(message, MARK, person);
  const drafts = async () =>
    (await control.thread(channel, message.ts)).filter(({ text }) => text.includes('*Draft*'));
  const isHeard = await heard(slack, message.ts);
  const [draft] = await nowOrLater(drafts, ({ length }) => length > 0, isHeard ? DRAFT_WITHIN_MS : 0);
  if (draft === undefined) return isHeard ? 'accepted' : 'unclear';
  const isStarted = (now: readonly SlackMessage[]) => now.some(({ text }) => text.includes('Started by'));
  const endMs = Date.now() + STARTED_WITHIN_MS;
  for (let now = await drafts(); Date.now() < endMs; ) {
    if (isStarted(now)) return 'accepted';
    await connected(slack);
    await control.press(draft, 'start_draft', person);
    now = await nowOrLater(drafts, isStarted, 5 * AGAIN_AFTER_MS);
  }
  return 'unclear';
}

/** As a pipeline does: again until there is an answer. Some of the calls arrive at several processes at a time. */
export async function callWebhook(story: number, { ports }: Place): Promise<Answer> {
  const id = randomUUID();
  const call = async (port: number | undefined) => {
    const at = new Date();
    const response = await fetch(`http://127.0.0.1:${port}/hooks/${recipeOf(story)}`, {
      method: 'POST',
      body: '{}',
      headers: signedHeaders(hookSecret, id, at, '{}'),
      signal: AbortSignal.timeout(10 * AGAIN_AFTER_MS),
    });
    return response.status === 202 && 'job' in ((await response.json()) as object);
  };
  const endMs = Date.now() + CALLED_WITHIN_MS;
  while (Date.now() < endMs) {
    const copies = Array.from({ length: (story % COPIES_MAX) + 1 }, (_, nth) =>
      call(ports[(story + nth) % ports.length]).catch(() => false),
    );
    if ((await Promise.all(copies)).includes(true)) return 'accepted';
    await pause(AGAIN_AFTER_MS);
  }
  return 'unclear';
}

/** A workflow comes to its step. Every other one waits for the end of the turn. */
export async function runStep(request: string, { slack, channel, person }: Place): Promise<Answer> {
  const wait = request.length % 2 === 0;
  const executionId = await slack.control.runStep({ request, channel, person: { id: person }, wait });
  return (await heard(slack, executionId)) ? 'accepted' : 'unclear';
}

async function heard(slack: StrictSlack, subject: string): Promise<boolean> {
  const isIt = () => acknowledgements(slack, ({ type }) => FROM_ELSEWHERE.includes(type ?? '')).has(subject);
  return (await until(isIt, HEARD_WITHIN_MS)) === true;
}

const FROM_ELSEWHERE = ['reaction_added', 'function_executed'];

async function nowOrLater<T>(
  read: () => Promise<T>,
  isEnough: (now: T) => boolean,
  withinMs: number,
): Promise<T> {
  const endMs = Date.now() + withinMs;
  let now = await read();
  while (!isEnough(now) && Date.now() < endMs) {
    await pause(AGAIN_AFTER_MS);
    now = await read();
  }
  return now;
}
