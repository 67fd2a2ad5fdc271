import type { Report } from '../../../src/features/reports/report.ts';
import { sources } from '../../../src/features/reports/report.ts';
import { ends, type Fate } from '../../../src/jobs/announcement.ts';
import type { StoryPlan } from '../plan.ts';
import type { StoryEvidence } from './evidence.ts';
import { fatesOf } from './fates.ts';
import { isStop, linksOf, ofKind } from './posts.ts';
import { callTimes, peaks } from './spent.ts';
import { type Range, type Times, type Waits, waits } from './waits.ts';

/** What `docs-agent report` must say. */
export interface HandCount extends Pick<Report, 'starts' | 'ends' | 'unclear' | 'open' | 'pull_requests'> {
  readonly seconds_to_pull_request: Waits;
  readonly budget: { readonly peak_per_hour: Range; readonly limit: number };
}

const SOURCES: Readonly<Record<StoryPlan['way'], (typeof sources)[number]>> = {
  command: 'command',
  mention: 'mention',
  direct: 'direct_message',
  form: 'form',
  // In a thread of other people, by a mention.
  thread: 'mention',
  mark: 'reaction',
  webhook: 'webhook',
  workflow: 'workflow',
};

export interface Told {
  readonly stories: readonly StoryEvidence[];
  readonly plans: readonly StoryPlan[];
  readonly times: Times;
  readonly hourlyBudget: number;
}

/**
 * Counted by hand, without the program's store: what the threads say, and what the agent API and its jobs saw. A start
 * that the thread calls unclear is unclear, whatever the agent API believes: it may never have arrived, or its answer may
 * have come when the program had given it up, which a busy stand-in does not notice.
 */
export function countByHand({ stories, plans, times, hourlyBudget }: Told): HandCount {
  const wayOf = new Map(plans.map(({ number, way }) => [number, way]));
  const started = stories.filter(({ cards }) => cards.length > 0);
  const fates = started.flatMap(fatesOf);
  const asked = started.map(({ asked: { story } }) => SOURCES[wayOf.get(story) ?? 'command']);
  const again: (typeof sources)[number][] = Array.from(
    { length: fates.length - started.length },
    () => 'again',
  );
  const fated = counted<Fate>([...ends, 'unclear', 'open'], fates);
  const { unclear, open, ...ended } = fated;
  const links = started.flatMap(({ posts }) => [...new Set(linksOf(ofKind(posts, 'link')))]);
  return {
    starts: { total: fates.length, by_source: counted(sources, [...asked, ...again]) },
    ends: ended,
    unclear: { starts: unclear, replies: started.flatMap(unclearReplies).length },
    open,
    // No code host is asked.
    pull_requests: { open: 0, merged: 0, closed: 0, unknown: links.length },
    seconds_to_pull_request: waits(started, times),
    budget: { peak_per_hour: peaks(started.flatMap(callTimes)), limit: hourlyBudget },
  };
}

/** Marked as not sent or unclear, where the thread tells of unclear ones; what a stop left is known. */
function unclearReplies({ replies, receipts, posts }: StoryEvidence) {
  const isUnclear = ofKind(posts, 'message_unknown').length > 0;
  if (!isUnclear || posts.some(isStop)) return [];
  return replies.filter(({ ts }) => receipts.get(ts)?.includes('warning'));
}

function counted<Name extends string>(names: readonly Name[], found: readonly Name[]): Record<Name, number> {
  const counts = names.map((name) => [name, found.filter((one) => one === name).length]);
  return Object.fromEntries(counts) as Record<Name, number>;
}

/** What the report says otherwise than the count by hand. */
export function differences(report: Report, byHand: HandCount): string[] {
  const { since: _since, until: _until, ...reported } = report;
  const said = new Map(leavesOf(reported));
  return [...leavesOf(byHand)].flatMap(([name, expected]) => {
    const number = said.get(name) ?? null;
    return isWithin(number, expected) ? [] : [`${name} is ${number}, by hand ${wordsOf(expected)}`];
  });
}

type Leaf = number | Range | null;

function leavesOf(tree: object, path: readonly string[] = []): [name: string, leaf: Leaf][] {
  return Object.entries(tree).flatMap(([name, value]): [string, Leaf][] => {
    const own = [...path, name];
    const isLeaf = typeof value !== 'object' || value === null || 'from' in value;
    return isLeaf ? [[own.join('.'), value]] : leavesOf(value, own);
  });
}

function isWithin(number: Leaf, expected: Leaf): boolean {
  if (typeof number !== 'number' || expected === null || typeof expected === 'number') {
    return number === expected;
  }
  return number >= expected.from && number <= expected.to;
}

function wordsOf(expected: Leaf): string {
  if (expected === null || typeof expected === 'number') return String(expected);
  return expected.from === expected.to ? `${expected.from}` : `${expected.from} to ${expected.to}`;
}
