import { general, type SlackMessage } from '../../support/local-slack.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { Moment, ReplyPlan, StoryPlan } from '../plan.ts';
import { heard } from './acknowledged.ts';
import { ask, type Request } from './asking.ts';
import type { ChannelWatch } from './channel-watch.ts';
import { kindOf, ofKind } from './posts.ts';
import { reply, type Said } from './replying.ts';
import { until } from './until.ts';

/** The longest that people wait before they go on, or give up a command that was not answered. */
const CARD_PATIENCE_MS = 300_000;
const UNANSWERED_PATIENCE_MS = 20_000;
const TURN_PATIENCE_MS = 20_000;
const LINK_PATIENCE_MS = 300_000;
const PROGRESS = 100;

export interface PeopleOptions {
  readonly slack: StrictSlack;
  /** Where the program answers HTTP. */
  readonly ports: readonly number[];
  readonly watch: ChannelWatch;
  /** The stories are spread over them. */
  readonly channels: readonly string[];
  /** Each has one story after the other. */
  readonly people: readonly string[];
  /** False: no more stories begin. */
  readonly goesOn: () => boolean;
  readonly note: (progress: string) => void;
}

/** What people did. */
export interface Deeds {
  readonly asked: Request[];
  readonly said: Said[];
}

/** Has the stories happen, many at a time. Resolves when everybody has said what there was to say. */
export async function liveStories(plans: readonly StoryPlan[], options: PeopleOptions): Promise<Deeds> {
  const deeds: Deeds = { asked: [], said: [] };
  const queue = [...plans];
  const live = async (person: string): Promise<void> => {
    for (let plan = queue.shift(); plan !== undefined && options.goesOn(); plan = queue.shift()) {
      await liveStory(plan, person, deeds, options);
      if (plan.number % PROGRESS === 0) options.note(`${plan.number} stories`);
    }
  };
  await Promise.all(options.people.map(live));
  return deeds;
}

async function liveStory(
  plan: StoryPlan,
  person: string,
  deeds: Deeds,
  { slack, ports, watch, channels }: PeopleOptions,
): Promise<void> {
  const story = plan.number;
  const channel = channels[story % channels.length] ?? general;
  const asked = await ask(plan, { slack, ports, channel, person });
  if (asked === null) return;
  deeds.asked.push(asked);
  const { answer } = asked;
  if (answer === 'refused') return;
  const say = (planned: ReplyPlan, card: SlackMessage) =>
    reply(planned, { story, card, slack, person }).then((one) => one && deeds.said.push(one));
  const isEarly = ({ moment }: ReplyPlan) => moment === 'before_card' && typeof answer !== 'string';
  // Before anybody knows whether the bot has heard of the message at all.
  if (typeof answer !== 'string') {
    for (const planned of plan.replies.filter(isEarly)) await say(planned, answer.message);
  }
  const isAccepted =
    typeof answer === 'string' ? answer === 'accepted' : await heard(slack, answer.message.ts);
  const patienceMs = isAccepted ? CARD_PATIENCE_MS : UNANSWERED_PATIENCE_MS;
  const card = await until(() => watch.cardOf(story), patienceMs);
  if (card === null) return;
  const replies: Promise<unknown>[] = [];
  let isPatient = true;
  for (const [index, planned] of plan.replies.entries()) {
    if (isEarly(planned)) continue;
    // Who waited in vain for a link does not wait for the next ones.
    const wait = () => theMoment(planned.moment, { card, index, watch });
    if (isPatient) isPatient = (await wait()) || planned.moment !== 'at_link';
    const said = say(planned, card);
    replies.push(said);
    // Nobody has two forms open.
    if (planned.manner === 'form') await said;
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

/** False: people waited long enough, and go on without it. */
async function theMoment(moment: Moment, place: Place): Promise<boolean> {
  const { card, index, watch } = place;
  const nowMs = Date.now();
  const isNew = ({ ts }: SlackMessage) => Number(ts) * 1000 > nowMs;
  switch (moment) {
    case 'before_card':
    case 'at_card':
    case 'at_once':
      return true;
    case 'while_working':
      return isThere(() => ofKind(watch.postsOf(card), 'working').length > 0, TURN_PATIENCE_MS);
    case 'when_ended':
      return isThere(
        () => watch.postsOf(card).some((post) => ['ended', 'link'].includes(kindOf(post)) && isNew(post)),
        TURN_PATIENCE_MS,
      );
    case 'at_link':
      return isThere(() => ofKind(watch.postsOf(card), 'link').length > index, LINK_PATIENCE_MS);
  }
}

async function isThere(look: () => boolean, withinMs: number): Promise<boolean> {
  return (await until(look, withinMs)) === true;
}
