import { announcementView } from '../../slack/views/support/thread.ts';
import type { World } from './world.ts';
import type { WorldCall } from './world-facts.ts';

/** A message in the thread, as people read it. */
export interface Post {
  readonly text: string;
  /** How it says that a turn ended, or that a pull request is there; null: it says neither. */
  readonly end: 'link' | 'updated' | 'done' | 'failed' | 'archived' | 'gone' | null;
  readonly link: string | null;
  /** How many replies it calls included. */
  readonly included: number;
  readonly mentioned: readonly string[];
}

/** The messages that an event brought about, by the event's place. */
export function postsIn({ calls }: World, index: number): Post[] {
  return calls.filter(({ wantedAfter }) => wantedAfter === index).flatMap((call) => postOf(call) ?? []);
}

/** All messages that say how a turn ended, or that a pull request is there: their first lines, with what it took. */
export function endsIn({ calls }: World): string[] {
  const posts = calls.flatMap((call) => postOf(call) ?? []);
  return posts.flatMap(({ text, end }) => {
    const [first = '', ...rest] = text.split('\n');
    const facts = rest.flatMap((line) => line.split(' · ')).filter((fact) => /^took | included$/.test(fact));
    return end === null ? [] : [[first, ...facts].join(' · ')];
  });
}

const ENDS = [
  [/\*(?:Pull request ready|Another pull request)/, 'link'],
  [/\*Updated/, 'updated'],
  [/\*Done, no pull request/, 'done'],
  [/\*Failed/, 'failed'],
  [/\*Archived/, 'archived'],
  [/\*The agent no longer knows this job/, 'gone'],
] as const;

function postOf({ request, job }: WorldCall): Post | null {
  if (request.kind !== 'announce') return null;
  const { text } = announcementView(request.announcement, job, new Map());
  const isQuoted = request.announcement.kind === 'follow_up';
  return {
    text,
    end: isQuoted ? null : (ENDS.findLast(([words]) => words.test(text))?.[1] ?? null),
    link: /<(https[^|>]+)\|/.exec(text)?.[1] ?? /^Pull request: (.*)$/m.exec(text)?.[1] ?? null,
    included: Number(/(\d+) (?:reply|replies) included/.exec(text)?.[1] ?? 0),
    mentioned: [...text.matchAll(/<@(\w+)>/g)].map(([, userId = '']) => userId),
  };
}
