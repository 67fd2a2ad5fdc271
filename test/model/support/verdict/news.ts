import { alice, bob, general, random } from '../../../support/local-slack.ts';
import type { ModelWorld } from '../model-world.ts';
import type { Facts } from './facts.ts';

/** What is wrong with a thread's account of its job. `link`: the last that the API gave it, or null. */
export async function judgeNews(world: ModelWorld, facts: Facts, link: string | null): Promise<string[]> {
  const wrong: string[] = [];
  // One that came with a failure or the archiving is told in the same message, below it.
  const announced = facts.posts.filter(({ text }) => text.includes('🎉')).map(({ text }) => linkIn(text));
  wrong.push(...twice(announced).map((url) => `${url} is announced twice`));
  const inChannel = (await world.slack.control.messages(general)).filter(({ text }) => text.startsWith('📝'));
  const notices = inChannel.map(({ text }) => linkIn(text));
  wrong.push(...twice(notices).map((url) => `${url} has two notices`));
  if (facts.isCensored) return wrong;
  if (link !== null && !announced.includes(link)) wrong.push(`${link} is not announced`);
  wrong.push(...announced.filter((url) => !notices.includes(url)).map((url) => `${url} has no notice`));
  const reports = facts.posts.filter(({ text }) => text.includes("Couldn't post in"));
  if (reports.length !== Math.min(1, announced.length)) {
    wrong.push(`${reports.length} times told that there is no notice in ${random}`);
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

/** Posts of the program that are there twice. */
export async function judgePosts(world: ModelWorld): Promise<string[]> {
  const places = [general, random, alice, bob];
  const messages = await Promise.all(places.map((place) => world.slack.control.messages(place)));
  const ids = messages.flat().flatMap(({ blocks = [] }) => blocks[0]?.block_id ?? []);
  return twice(ids.filter((id) => id.startsWith('call:'))).map((id) => `${id} is posted twice`);
}

const CARD_SPACING_MS = 3_000;

/** Cards that were edited twice in three seconds. A machine that slept sends late what it began before. */
export function judgePace({ edits, time }: ModelWorld): string[] {
  if (time.hasSlept) return [];
  return edits.flatMap(({ ts, atMs }, index) => {
    const before = edits.slice(0, index).findLast((edit) => edit.ts === ts);
    const gapMs = atMs - (before?.atMs ?? Number.NEGATIVE_INFINITY);
    return gapMs < CARD_SPACING_MS ? [`the card ${ts} is edited again after ${gapMs} ms`] : [];
  });
}

function linkIn(text: string): string {
  return /https:[^\s>|]+/.exec(text)?.[0] ?? 'no link';
}

function twice(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) < index);
}
