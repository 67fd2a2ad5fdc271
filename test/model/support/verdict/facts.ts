import { alice, bob, general, random, type SlackMessage } from '../../../support/local-slack.ts';
import type { AgentCall } from '../agent-front.ts';
import type { ModelWorld } from '../model-world.ts';
import { type Asked, isCard, type People, threadOf } from '../people.ts';

/** All that Slack and the agent API hold in the end of one request. */
export interface Facts {
  readonly asked: Asked;
  /** Slack had the program's word that it is kept. */
  readonly isAccepted: boolean;
  readonly cards: readonly SlackMessage[];
  /** The program's messages in the thread. */
  readonly posts: readonly SlackMessage[];
  /** What only the requester can see. */
  readonly told: readonly SlackMessage[];
  /** The create calls that the API took. */
  readonly starts: readonly AgentCall[];
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

export async function factsOf(world: ModelWorld, people: People): Promise<Facts[]> {
  const { control } = world.slack;
  const read = async (places: readonly string[]) =>
    (await Promise.all(places.map((place) => control.messages(place)))).flat();
  const direct = await read([alice, bob]);
  const all = [...(await read([general, random])), ...direct];
  return people.asked.map((asked) => {
    const cards = all.filter((message) => isCard(message) && message.text.includes(asked.mark));
    const roots = cards.map(threadOf);
    const cardTs = cards.map(({ ts }) => ts);
    const inThread = all.filter(
      ({ ts, thread_ts }) =>
        thread_ts !== undefined && thread_ts !== ts && roots.includes(thread_ts) && !cardTs.includes(ts),
    );
    const presses = people.presses.filter(({ message }) => roots.includes(threadOf(message)));
    const posts = inThread.filter(({ user }) => user !== alice && user !== bob);
    return {
      asked,
      isAccepted: asked.isAccepted || isMessageTaken(world, asked),
      cards,
      posts,
      told: [...all.filter(({ subtype }) => subtype === 'ephemeral'), ...direct],
      starts: world.agent.calls.filter(
        ({ operation, prompt, status }) =>
          operation === 'create' && status === 201 && prompt?.includes(asked.mark),
      ),
      pressed: (...actionIds) =>
        new Set(
          presses.flatMap(({ message, actionId }) => (actionIds.includes(actionId) ? [message.ts] : [])),
        ).size,
      hasWithdrawn: people.replies.some((reply) => reply.asked === asked && reply.isDeleted),
      isCensored: world.troubles.refusedPosts.length > 0,
    };
  });
}

/** Of a mention, it is the `app_mention` that starts a job. */
function isMessageTaken({ slack }: ModelWorld, { messageTs }: Asked): boolean {
  return slack.deliveries().some(({ payload, acknowledgedAtMs }) => {
    const event = (payload.event ?? {}) as Readonly<Record<string, unknown>>;
    const isStart = event.type === 'app_mention' || event.channel_type === 'im';
    return acknowledgedAtMs !== null && isStart && event.ts === messageTs;
  });
}
