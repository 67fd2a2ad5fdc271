import type { StoryEvidence } from './evidence.ts';
import { linksOf, ofKind } from './posts.ts';

/** What is known of time outside of the program. */
export interface Times {
  /** When the agent API first showed a pull request; null: it never did. */
  readonly shownAtMs: (link: string) => number | null;
  /** How wrong a clock of the program was at most between these times. */
  readonly clockErrorMs: (fromMs: number, untilMs: number) => number;
}

/** Where the outside does not tell the exact number: what it is between, both included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Of people who waited for a pull request; null: nobody did. */
export interface Waits {
  readonly median: Range | null;
  readonly p90: Range | null;
}

interface Wait {
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** How long people waited for the first pull request of a job: half of them, and nine of ten. */
export function waits(stories: readonly StoryEvidence[], times: Times): Waits {
  const all = stories.flatMap((story) => waitOf(story, times));
  const rank = (share: number) => {
    if (all.length === 0) return null;
    const at = (values: readonly number[]) =>
      Math.max(
        0,
        Math.round((values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0) / 1000),
      );
    return { from: at(all.map(({ atLeastMs }) => atLeastMs)), to: at(all.map(({ atMostMs }) => atMostMs)) };
  };
  return { median: rank(0.5), p90: rank(0.9) };
}

/**
 * The program took the request in after the person made it, and before its card was there; it told of the pull request
 * after the agent API had shown it, and before the message was there.
 */
function waitOf({ asked, cards, posts }: StoryEvidence, times: Times): Wait[] {
  const [card] = cards;
  const [first] = ofKind(posts, 'link');
  const [link] = first === undefined ? [] : linksOf([first]);
  if (card === undefined || first === undefined || link === undefined) return [];
  const requested = { fromMs: asked.askedAtMs, untilMs: Number(card.ts) * 1000 };
  const told = { fromMs: times.shownAtMs(link) ?? requested.untilMs, untilMs: Number(first.ts) * 1000 };
  const errorMs =
    times.clockErrorMs(requested.fromMs, requested.untilMs) + times.clockErrorMs(told.fromMs, told.untilMs);
  return [
    {
      atLeastMs: told.fromMs - requested.untilMs - errorMs,
      atMostMs: told.untilMs - requested.fromMs + errorMs,
    },
  ];
}
