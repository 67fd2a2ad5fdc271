import type { SlackMessage } from '../../../support/local-slack.ts';
import { strictApp } from '../../../support/strict-slack/ids.ts';
import type { AgentCall } from '../agent-front.ts';
import type { ModelWorld } from '../model-world.ts';
import { type Asked, type Reply, threadOf } from '../people.ts';
import type { Records } from './records.ts';

/** All that Slack and the agent API hold in the end of one request. */
export interface Facts {
  readonly asked: Asked;
  /** Slack had the program's word that it is kept. */
  readonly isAccepted: boolean;
  readonly cards: readonly SlackMessage[];
  /** The program's messages in the thread. */
  readonly posts: readonly SlackMessage[];
  /** What only the requester can see of it. */
  readonly told: readonly SlackMessage[];
  /** The create calls that the API took. */
  readonly starts: readonly AgentCall[];
  readonly replies: readonly Reply[];
  /** How many different buttons of this kind were pressed in the thread. */
  pressed(...actionIds: readonly string[]): number;
  /** Somebody deleted a reply in the thread. */
  readonly hasWithdrawn: boolean;
  /** Slack refused a post in the thread, so that a button may be missing. */
  readonly isCensored: boolean;
}

/** The program cannot have been sure that the API took it. */
export function isUnclear({ answered, disturbed }: AgentCall): boolean {
  return !answered || disturbed;
}

export function factsOf(world: ModelWorld, records: Records, asked: Asked): Facts {
  const cards = records.cards(asked.mark);
  const roots = [...new Set(cards.map(threadOf))];
  const cardTs = cards.map(({ ts }) => ts);
  const presses = roots.flatMap((root) => records.presses(root));
  const replies = records.replies(asked);
  return {
    asked,
    isAccepted: asked.isAccepted || records.isTaken(asked.messageTs),
    cards,
    posts: roots
      .flatMap((root) => records.thread(root))
      .filter(({ user, ts }) => user === strictApp.botUserId && !cardTs.includes(ts)),
    told: records.told(asked.mark),
    starts: records.creates(asked.mark).filter(({ status }) => status === 201),
    replies: replies.filter(({ message }) => message.ts !== ''),
    pressed: (...actionIds) =>
      new Set(presses.flatMap(({ message, actionId }) => (actionIds.includes(actionId) ? [message.ts] : [])))
        .size,
    hasWithdrawn: replies.some(({ isDeleted }) => isDeleted),
    isCensored: world.troubles.refusedPosts.length > 0,
  };
}
