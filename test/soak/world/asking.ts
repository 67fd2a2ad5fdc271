import type { SlackMessage } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { StoryPlan } from '../plan.ts';
import { talkText } from '../texts.ts';
import { heard, isEmpty, isUnclear } from './acknowledged.ts';
import { callWebhook, mark, runStep } from './elsewhere.ts';
import { connected, fillInForm } from './forms.ts';
import { until } from './until.ts';

/** For what the bot has acknowledged. */
const OFFER_WITHIN_MS = 300_000;
const LOOK_INTERVAL_MS = 500;
/** Slack did not take the answer in the thread: a direct message says how to ask instead. */
const TOLD_ELSEWHERE = 'in the thread where you mentioned me';
const mention = `<@${strictApp.botUserId}>`;

export interface Place {
  readonly slack: StrictSlack;
  /** Where the program answers HTTP. */
  readonly ports: readonly number[];
  readonly channel: string;
  /** Who asks; does nothing else meanwhile. */
  readonly person: string;
}

/** `unclear`: none, so that the request may or may not have been stored. */
export type Answer = 'accepted' | 'refused' | 'unclear';

/** What somebody asked for. The answer to a message is that Slack had it acknowledged. */
export interface Request {
  readonly story: number;
  readonly answer: Answer | { readonly message: SlackMessage };
}

/** Asks for the job of the story. Null: there was no request. */
export async function ask(plan: StoryPlan, place: Place): Promise<Request | null> {
  const { slack, channel, person } = place;
  const { number: story, prompt, way } = plan;
  const write = (text: string, where = channel) =>
    slack.control.message({ channel: where, user: person, text });
  switch (way) {
    case 'command':
      return { story, answer: await command(plan, place) };
    case 'mention':
      return { story, answer: { message: await write(`${mention} ${prompt}`) } };
    case 'direct':
      return { story, answer: { message: await write(prompt, person) } };
    case 'form': {
      const open = () => slack.control.command({ channel, user: person, text: '' });
      const taken = await fillInForm({ slack, person, callbackId: 'compose', open, values: { prompt } });
      return taken === 'not_open' ? null : { story, answer: taken };
    }
    case 'thread':
      return fromThread(plan, place, await write(talkText(story)));
    case 'mark':
      return { story, answer: await mark(place, await write(prompt)) };
    case 'webhook':
      return { story, answer: await callWebhook(story, place) };
    case 'workflow':
      return { story, answer: await runStep(prompt, place) };
  }
}

async function command({ prompt }: StoryPlan, { slack, channel, person }: Place): Promise<Answer> {
  await connected(slack);
  const { acknowledged, payload } = await slack.control.command({ channel, user: person, text: prompt });
  if (!acknowledged || isUnclear(payload)) return 'unclear';
  return isEmpty(payload) ? 'accepted' : 'refused';
}

/** A mention in a thread is only answered; what goes along is chosen in a form. */
async function fromThread(
  { number: story, prompt }: StoryPlan,
  { slack, channel, person }: Place,
  root: SlackMessage,
): Promise<Request | null> {
  const { control } = slack;
  const { ts } = await control.message({
    channel,
    user: person,
    text: `${mention} ${prompt}`,
    threadTs: root.ts,
  });
  let offer: SlackMessage | undefined;
  let isToldElsewhere = false;
  const look = async () => {
    offer = (await control.thread(channel, root.ts)).find(({ ephemeral_to }) => ephemeral_to === person);
    const direct = await control.messages(person);
    isToldElsewhere = direct.some((message) => message.ts > ts && message.text.includes(TOLD_ELSEWHERE));
  };
  if (!(await heard(slack, ts))) return null;
  const endMs = Date.now() + OFFER_WITHIN_MS;
  for (await look(); offer === undefined && !isToldElsewhere && Date.now() < endMs; await look()) {
    await until(() => false, LOOK_INTERVAL_MS);
  }
  if (offer === undefined) return { story, answer: isToldElsewhere ? 'refused' : 'accepted' };
  const found = offer;
  const open = () => control.press(found, 'choose_messages', person);
  const taken = await fillInForm({ slack, person, callbackId: 'thread_preview', open, values: {} });
  return taken === 'not_open' ? null : { story, answer: taken };
}
