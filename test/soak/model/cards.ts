import { linkIn } from '../texts.ts';
import { endOf, tellsEnd } from './announcements.ts';
import type { Finding, StoryEvidence } from './evidence.ts';
import { ACCEPTED } from './replies.ts';

/** The card shows how it ended: the state, the pull request, and how many replies the agent got. */
export function judgeCard(story: StoryEvidence): Finding[] {
  const [card] = story.cards;
  if (card === undefined) return [];
  const end = endOf(story);
  const findings: Finding[] = [];
  const notShown = (what: string) => findings.push({ kind: 'lost', what: `the card does not show ${what}` });
  if (!tellsEnd(card, end)) notShown(`the end "${end?.status}"`);
  if (linkIn(card.text) !== (end?.prLink ?? null)) notShown(`the pull request ${end?.prLink}`);
  const sent = [...story.receipts.values()].filter((names) => names.includes(ACCEPTED)).length;
  const shown = Number(/(\d+) follow-ups? sent/.exec(card.text)?.[1] ?? 0);
  if (sent !== shown) notShown(`${sent} follow-ups as sent, but ${shown}`);
  if (/follow-ups? waits?\b/.test(card.text)) notShown('that nothing waits');
  return findings;
}
