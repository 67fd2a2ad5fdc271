import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { Asked, Written } from '../model/evidence.ts';
import { kindOf, ofKind } from '../model/posts.ts';
import type { Moment, ReplyPlan, StoryPlan } from '../plan.ts';
import type { ChannelWatch } from './channel-watch.ts';
import { until } from './until.ts';

/** The longest that people wait before they go on, or give up a command that was not answered. */
const CARD_PATIENCE_MS = 300_000;
const UNANSWERED_PATIENCE_MS = 20_000;
const TURN_PATIENCE_MS = 20_000;
const LINK_PATIENCE_MS = 300_000;
const PROGRESS = 100;

export interface PeopleOptions {
  readonly slack: StrictSlack;
  readonly watch: ChannelWatch;
  /** The stories are spread over them. */
  readonly channels: readonly string[];
  /** How many stories go on at a time. */
  readonly atOnce: number;
  /** False: no more stories begin. */
  readonly goesOn: () => boolean;
  readonly note: (progress: string) => void;
}

/** What people did, for the model. */
export interface Deeds {
  readonly asked: Asked[];
  readonly written: Omit<Written, 'acknowledgedAtMs'>[];
}

/** Has the stories happen, many at a time. Resolves when everybody has said what there was to say. */
export async function liveStories(plans: readonly StoryPlan[], options: PeopleOptions): Promise<Deeds> {
  const deeds: Deeds = { asked: [], written: [] };
  const queue = [...plans];
  const next = async (): Promise<void> => {
    for (let plan = queue.shift(); plan !== undefined && options.goesOn(); plan = queue.shift()) {
      await liveStory(plan, deeds, options);
      if (plan.number % PROGRESS === 0) options.note(`${plan.number} stories`);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, next));
  return deeds;
}

async function liveStory(plan: StoryPlan, deeds: Deeds, options: PeopleOptions): Promise<void> {
  const { slack, watch } = options;
  const user = plan.number % 2 === 0 ? alice : bob;
  const channel = options.channels[plan.number % options.channels.length] ?? general;
  // Slack does not keep commands: without a connection, nothing would come of it.
  await until(() => slack.socket.connections() > 0, CARD_PATIENCE_MS);
  const { acknowledged, payload } = await slack.control.command({
    channel,
    user,
    text: plan.prompt,
  });
  const answer = !acknowledged ? 'unclear' : isEmpty(payload) ? 'accepted' : 'refused';
  deeds.asked.push({ story: plan.number, prompt: plan.prompt, answer });
  if (answer === 'refused') return;
  const patienceMs = answer === 'accepted' ? CARD_PATIENCE_MS : UNANSWERED_PATIENCE_MS;
  const card = await until(() => watch.cardOf(plan.number), patienceMs);
  if (card === null) return;
  const replies: Promise<void>[] = [];
  for (const [index, reply] of plan.replies.entries()) {
    await theMoment(reply.moment, { card, index, watch });
    replies.push(write(plan.number, reply, card, deeds, slack));
  }
  await Promise.all(replies);
  await theMoment('when_ended', { card, index: plan.replies.length, watch });
}

interface Place {
  readonly card: SlackMessage;
  /** How many replies there were before. */
  readonly index: number;
  readonly watch: ChannelWatch;
}

async function theMoment(moment: Moment, place: Place): Promise<void> {
  const { card, index, watch } = place;
  const nowMs = Date.now();
  const isNew = ({ ts }: SlackMessage) => Number(ts) * 1000 > nowMs;
  switch (moment) {
    case 'at_card':
    case 'at_once':
      return;
    case 'while_working':
      await until(() => ofKind(watch.postsOf(card), 'working').length > 0, TURN_PATIENCE_MS);
      return;
    case 'when_ended':
      await until(() => watch.postsOf(card).some((p) => kindOf(p) === 'ended' && isNew(p)), TURN_PATIENCE_MS);
      return;
    case 'at_link':
      await until(() => ofKind(watch.postsOf(card), 'link').length > index, LINK_PATIENCE_MS);
      return;
  }
}

async function write(
  story: number,
  { number, text }: ReplyPlan,
  card: SlackMessage,
  deeds: Deeds,
  { control }: StrictSlack,
): Promise<void> {
  const user = number % 3 === 0 ? alice : bob;
  const { ts } = await control.message({ channel: card.channel, user, text, threadTs: card.ts });
  deeds.written.push({ number, story, text, ts });
}

function isEmpty(payload: unknown): boolean {
  return (
    payload === null || payload === undefined || payload === '' || Object.keys(Object(payload)).length === 0
  );
}
