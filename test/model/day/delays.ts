import type { SlackMessage } from '../../support/local-slack.ts';
import type { ModelWorld } from '../support/model-world.ts';
import { type People, threadOf } from '../support/people.ts';
import { type Facts, factsOf } from '../support/verdict/facts.ts';
import { linkIn, type Records, recordsOf } from '../support/verdict/records.ts';

export const kinds = [
  'command to card',
  'reply to agent',
  'end of work to message',
  'end of work to notice',
  'button to agent',
] as const;

/** How long people waited for something. Times are since the beginning of the day. */
export interface Delay {
  readonly kind: (typeof kinds)[number];
  readonly fromMs: number;
  readonly toMs: number;
}

/** In front of what the thread is told when a turn has ended. */
const ENDINGS = /^(🎉|✅|❌) /u;

/** All that happened until now. */
export async function delaysOf(world: ModelWorld, people: People, startMs: number): Promise<Delay[]> {
  const records = await recordsOf(world, people);
  const delays = people.asked.flatMap((asked) => {
    const facts = factsOf(world, records, asked);
    return [
      ...facts.cards.slice(0, 1).map((card): Delay => since('command to card', asked.atMs, timeOf(card))),
      ...ofReplies(records, facts),
      ...ofEndings(world, records, facts),
      ...ofButtons(records, facts),
    ];
  });
  return delays.map(({ kind, fromMs, toMs }) => since(kind, fromMs - startMs, toMs - startMs));
}

/** An edit of a waiting reply may begin its wait anew. */
function ofReplies(records: Records, { replies }: Facts): Delay[] {
  return replies
    .filter(({ texts, isDeleted }) => texts.length === 1 && !isDeleted)
    .flatMap(({ mark, message }) => {
      const taken = records.sends(mark).find(({ status }) => status === 200);
      return taken === undefined ? [] : [since('reply to agent', timeOf(message), taken.atMs)];
    });
}

/** What a message tells of is the last end before it: one that was over before it could be seen is not told. */
function ofEndings({ api, scene }: ModelWorld, records: Records, { posts, starts }: Facts): Delay[] {
  const ids = new Set(starts.map(({ jobId }) => jobId));
  const endsAtMs = api.jobs.filter(({ id }) => ids.has(id)).flatMap((job) => job.endsAtMs);
  return posts
    .filter(({ text }) => ENDINGS.test(text) && !text.includes('*Back online.*'))
    .flatMap((post) => {
      const endMs = Math.max(...endsAtMs.filter((atMs) => atMs <= timeOf(post)));
      const notices = records.notices.filter(
        ({ channel, text }) =>
          post.text.includes('🎉') &&
          scene.noticeChannels.includes(channel) &&
          linkIn(text) === linkIn(post.text),
      );
      return [
        since('end of work to message', endMs, timeOf(post)),
        ...notices.map((notice) => since('end of work to notice', endMs, timeOf(notice))),
      ];
    });
}

/** Of several presses of a button, the first one counts. */
function ofButtons(records: Records, { asked, cards, replies }: Facts): Delay[] {
  const calls = [asked.mark, ...replies.map(({ mark }) => mark)].flatMap((mark) => [
    ...records.creates(mark),
    ...records.sends(mark),
  ]);
  const presses = cards.slice(0, 1).flatMap((card) => records.presses(threadOf(card)));
  const first = Map.groupBy(presses, ({ message }) => message.ts).values();
  return [...first].flatMap(([press]) => {
    if (press === undefined) return [];
    const effects = calls.filter(({ atMs }) => atMs >= press.atMs).map(({ atMs }) => atMs);
    return effects.length === 0 ? [] : [since('button to agent', press.atMs, Math.min(...effects))];
  });
}

function since(kind: Delay['kind'], fromMs: number, toMs: number): Delay {
  return { kind, fromMs, toMs };
}

function timeOf({ ts }: SlackMessage): number {
  return Number(ts) * 1_000;
}
