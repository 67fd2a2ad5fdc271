import { localApp } from '../../../../demo/local-slack/workspace.ts';
import type { SlackMessage } from '../../../support/local-slack.ts';
import type { AgentCall } from '../agent-front.ts';
import type { ModelWorld } from '../model-world.ts';
import { type Asked, isCard, type People, type Press, type Reply, threadOf } from '../people.ts';

/** All that Slack, the agent API and people hold in the end, found quickly however much it is. */
export interface Records {
  readonly messages: readonly SlackMessage[];
  /** The program's words in direct messages, and what it told anybody privately. */
  told(mark: string): readonly SlackMessage[];
  cards(mark: string): readonly SlackMessage[];
  /** The replies of a thread, without its root. */
  thread(rootTs: string): readonly SlackMessage[];
  presses(rootTs: string): readonly Press[];
  replies(asked: Asked): readonly Reply[];
  /** The create calls, or message calls, whose prompt has the mark, in their order. */
  creates(mark: string): readonly AgentCall[];
  sends(mark: string): readonly AgentCall[];
  /** The how-manieth of all calls to the agent API. */
  placeOf(call: AgentCall): number;
  readonly notices: readonly SlackMessage[];
  hasNotice(channel: string, link: string): boolean;
  /** The message has, or had, the receipt that asks for a decision. */
  wasWarned(ts: string): boolean;
  /** The message is one that starts a job, and the program has acknowledged that. */
  isTaken(ts: string | null): boolean;
}

export async function recordsOf(world: ModelWorld, people: People): Promise<Records> {
  const { control } = world.slack;
  const read = async (places: readonly string[]) =>
    (await Promise.all(places.map((place) => control.messages(place)))).flat();
  const { scene, agent } = world;
  const direct = await read(scene.people);
  const messages = [...(await read([...scene.channels, ...scene.closed])), ...direct];

  const private_ = [...messages.filter(({ subtype }) => subtype === 'ephemeral'), ...direct];
  const told = byMark(private_, ({ text }) => text);
  const cards = byMark(messages.filter(isCard), ({ text }) => text);
  const inThreads = messages.filter(({ ts, thread_ts: rootTs }) => rootTs !== undefined && rootTs !== ts);
  const threads = Map.groupBy(inThreads, threadOf);
  const presses = Map.groupBy(people.presses, ({ message }) => threadOf(message));
  const replies = Map.groupBy(people.replies, ({ asked }) => asked);
  const callsOf = (operation: AgentCall['operation']) =>
    byMark(
      agent.calls.filter((call) => call.operation === operation),
      ({ prompt }) => prompt ?? '',
    );
  const creates = callsOf('create');
  const sends = callsOf('message');
  const places = new Map(agent.calls.map((call, place) => [call, place]));
  const notices = messages.filter(({ text }) => text.startsWith('📝'));
  const noticed = new Set(notices.map(({ channel, text }) => `${channel} ${linkIn(text)}`));
  const warned = new Set(
    world.slack
      .calls('reactions.add')
      .flatMap(({ args }) => (args.name === 'warning' ? [args.timestamp] : [])),
  );
  const taken = takenOf(world);
  return {
    messages,
    told: (mark) => told.get(mark) ?? [],
    cards: (mark) => cards.get(mark) ?? [],
    thread: (rootTs) => threads.get(rootTs) ?? [],
    presses: (rootTs) => presses.get(rootTs) ?? [],
    replies: (asked) => replies.get(asked) ?? [],
    creates: (mark) => creates.get(mark) ?? [],
    sends: (mark) => sends.get(mark) ?? [],
    placeOf: (call) => places.get(call) ?? -1,
    notices,
    hasNotice: (channel, link) => noticed.has(`${channel} ${link}`),
    wasWarned: (ts) => warned.has(ts),
    isTaken: (ts) => taken.has(ts),
  };
}

/** The address in what the program says, or `no link`. */
export function linkIn(text: string): string {
  return /https:[^\s>|]+/.exec(text)?.[0] ?? 'no link';
}

/** By each mark of a request or reply in its text. */
function byMark<T>(all: readonly T[], textOf: (one: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    for (const mark of new Set(textOf(one).match(/(request|reply)-\d+;/g))) {
      found.set(mark, [...(found.get(mark) ?? []), one]);
    }
  }
  return found;
}

/** Of a mention, either of the two events starts a job. */
function takenOf({ slack }: ModelWorld): ReadonlySet<unknown> {
  return new Set(
    slack.deliveries().flatMap(({ payload, acknowledgedAtMs }) => {
      const event = (payload.event ?? {}) as Readonly<Record<string, unknown>>;
      const isMention =
        event.type === 'app_mention' || String(event.text).includes(`<@${localApp.botUserId}>`);
      const isStart = isMention || event.channel_type === 'im';
      return acknowledgedAtMs !== null && isStart ? [event.ts] : [];
    }),
  );
}
