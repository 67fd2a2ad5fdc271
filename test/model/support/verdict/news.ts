import type { ModelWorld } from '../model-world.ts';
import type { Facts } from './facts.ts';
import { linkIn, type Records } from './records.ts';

/** What is wrong with a thread's account of its job. `link`: the last that the API gave it, or null. */
export function judgeNews(
  { scene }: ModelWorld,
  records: Records,
  facts: Facts,
  link: string | null,
): string[] {
  const wrong: string[] = [];
  // One that came with a failure or the archiving is told in the same message, below it.
  const announced = facts.posts.filter(({ text }) => text.includes('🎉')).map(({ text }) => linkIn(text));
  wrong.push(...twice(announced).map((url) => `${url} is announced twice`));
  const isClosed = (channel: string) => scene.closed.includes(channel);
  const open = scene.noticeChannels.filter((channel) => !isClosed(channel));
  const hasNotices = (url: string) => open.every((channel) => records.hasNotice(channel, url));
  if (facts.isCensored) return wrong;
  if (link !== null && !announced.includes(link)) wrong.push(`${link} is not announced`);
  wrong.push(...announced.filter((url) => !hasNotices(url)).map((url) => `${url} has no notice`));
  const reports = facts.posts.filter(({ text }) => text.includes("Couldn't post in"));
  const refusing = scene.noticeChannels.filter(isClosed).length;
  if (reports.length !== (announced.length === 0 ? 0 : refusing)) {
    wrong.push(`${reports.length} times told that there is no notice in a channel`);
  }
  wrong.push(...judgeTroubles(facts));
  return wrong;
}

const GONE = 'The agent no longer knows';
const ENDS: ReadonlySet<string> = new Set(['Back online', GONE]);

/**
 * An outage is announced once when it lasts, and once when it is over; one that held up only deleted replies is not. That
 * the job is gone ends it, too.
 */
function judgeTroubles({ posts, hasWithdrawn }: Facts): string[] {
  const told = posts
    .flatMap(
      ({ text }) =>
        /^\S+ (?:<@\w+> )?\*(Can't reach|An administrator needs|Back online|The agent no longer knows)/.exec(
          text,
        )?.[1] ?? [],
    )
    .filter((word, index, all) => word !== GONE || !ENDS.has(all[index - 1] ?? GONE));
  if (hasWithdrawn) return [];
  return told.flatMap((word, index) => {
    if (word === told[index - 1]) return [`told twice: ${word}`];
    if (word === 'Back online' && index === 0) return ['recovered from nothing'];
    return !ENDS.has(word) && index === told.length - 1 ? [`never told that it is over: ${word}`] : [];
  });
}

/** Posts and notices of the program that are there twice. */
export function judgePosts({ messages, notices }: Records): string[] {
  const ids = messages.flatMap(({ blocks = [] }) => blocks[0]?.block_id ?? []);
  return [
    ...twice(ids.filter((id) => id.startsWith('call:'))).map((id) => `${id} is posted twice`),
    ...twice(notices.map(({ channel, text }) => `${linkIn(text)} in ${channel}`)).map(
      (link) => `there are two notices of ${link}`,
    ),
  ];
}

const CARD_SPACING_MS = 3_000;

/** Cards that were edited twice in three seconds. A machine that slept sends late what it began before. */
export function judgePace({ edits, slack, time }: ModelWorld): string[] {
  if (time.hasSlept) return [];
  const lastAtMs = new Map<string, number>();
  return edits.flatMap(({ call, atMs }) => {
    if (slack.wasLimited(call)) return [];
    const ts = String(call.args.ts);
    const gapMs = atMs - (lastAtMs.get(ts) ?? Number.NEGATIVE_INFINITY);
    lastAtMs.set(ts, atMs);
    return gapMs < CARD_SPACING_MS ? [`the card ${ts} is edited again after ${gapMs} ms`] : [];
  });
}

function twice(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}
