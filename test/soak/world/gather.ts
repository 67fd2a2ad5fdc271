import { random, type SlackMessage } from '../../support/local-slack.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { AgentJobEnd, StoryEvidence } from '../model/evidence.ts';
import type { StoryPlan } from '../plan.ts';
import { storyOf } from '../texts.ts';
import type { Attempt } from './agent-front.ts';
import type { Deeds } from './people.ts';

export interface Sources {
  readonly plans: readonly StoryPlan[];
  readonly deeds: Deeds;
  readonly slack: StrictSlack;
  readonly channels: readonly string[];
  readonly botUserId: string;
  readonly attempts: readonly Attempt[];
  readonly agentJobs: ReadonlyMap<string, AgentJobEnd>;
  readonly pressed: ReadonlySet<string>;
}

/** Sorts all that is to be seen from outside by the stories that it belongs to. */
export async function gather(sources: Sources): Promise<StoryEvidence[]> {
  const { plans, deeds, slack, botUserId, agentJobs, pressed } = sources;
  const messages = (await Promise.all(sources.channels.map((id) => slack.control.messages(id)))).flat();
  const byStory = ({ text }: SlackMessage) => storyOf(text);
  const isRoot = ({ thread_ts, user }: SlackMessage) => thread_ts === undefined && user === botUserId;
  const cards = Map.groupBy(messages.filter(isRoot), byStory);
  const notices = Map.groupBy(await slack.control.messages(random), byStory);
  const acknowledged = acknowledgements(slack);
  const threads = Map.groupBy(messages, ({ thread_ts }) => thread_ts);
  const replies = Map.groupBy(deeds.written, ({ story }) => story);
  const attempts = Map.groupBy(
    sources.attempts.toSorted((a, b) => a.atMs - b.atMs),
    ({ prompt }) => storyOf(prompt),
  );
  const byNumber = new Map(plans.map((plan) => [plan.number, plan]));

  return deeds.asked.map((asked): StoryEvidence => {
    const number = asked.story;
    const ownCards = cards.get(number) ?? [];
    const thread = ownCards.flatMap(({ ts }) => threads.get(ts) ?? []);
    const calls = attempts.get(number) ?? [];
    const written = (replies.get(number) ?? []).map((reply) => ({
      ...reply,
      acknowledgedAtMs: acknowledged.get(reply.ts) ?? null,
    }));
    return {
      asked,
      isPatient: byNumber.get(number)?.isPatient === true,
      replies: written,
      cards: ownCards,
      posts: thread.filter(({ user }) => user === botUserId),
      notices: notices.get(number) ?? [],
      creates: calls.filter(({ kind }) => kind === 'create'),
      messages: calls.filter(({ kind }) => kind === 'message'),
      agentJobs,
      pressed,
      receipts: new Map(written.map(({ ts }) => [ts, receiptsAt(thread, ts, botUserId)])),
    };
  });
}

function receiptsAt(thread: readonly SlackMessage[], ts: string, botUserId: string): string[] {
  const { reactions = [] } = thread.find((message) => message.ts === ts) ?? {};
  return reactions.filter(({ users }) => users.includes(botUserId)).map(({ name }) => name);
}

/** When the bot acknowledged each message first, by its `ts`. */
function acknowledgements(slack: StrictSlack): Map<string, number> {
  const times = new Map<string, number>();
  for (const { kind, payload, acknowledgedAtMs } of slack.deliveries()) {
    const { ts } = (payload.event ?? {}) as { ts?: string };
    if (kind !== 'event' || ts === undefined || acknowledgedAtMs === null) continue;
    times.set(ts, Math.min(acknowledgedAtMs, times.get(ts) ?? acknowledgedAtMs));
  }
  return times;
}
