import { linkIn } from '../texts.ts';
import { endOf, tellsEnd } from './announcements.ts';
import type { Finding, StoryEvidence } from './evidence.ts';
import { linksOf, ofKind } from './posts.ts';

/** The card shows how it ended, as the thread does: the state, the pull request, the replies that it includes. */
export function judgeCard(story: StoryEvidence): Finding[] {
  const [card] = story.cards;
  if (card === undefined) return [];
  const end = endOf(story);
  const findings: Finding[] = [];
  const notShown = (what: string) => findings.push({ kind: 'lost', what: `the card does not show ${what}` });
  if (!tellsEnd(card, end)) notShown(`the end "${end?.status}"`);
  // After an answer in words, the card of a job with the runner keeps the link.
  const kept = story.work === null ? null : linksOf(ofKind(story.posts, 'link')).at(-1);
  const link = end?.prLink ?? kept ?? null;
  if (linkIn(card.text) !== link) notShown(`the pull request ${link}`);
  const shown = includedIn(card.text);
  const told = Math.max(0, ...story.posts.map(({ text }) => includedIn(text)));
  if (shown > told) notShown(`how many replies its pull request includes, but ${shown}`);
  if (/⏳ \d+ (?:reply|replies) waiting/.test(card.text)) notShown('that nothing waits');
  return findings;
}

function includedIn(text: string): number {
  return Number(/(\d+) (?:reply|replies) included/.exec(text)?.[1] ?? 0);
}
