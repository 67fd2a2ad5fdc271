import type { Fate } from '../../../src/jobs/announcement.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import { endOf } from './announcements.ts';
import type { StoryEvidence } from './evidence.ts';

const UNCONFIRMED = "Couldn't confirm the start";

/** What became of each start of the story, as its thread says: those that somebody started again, and the last one. */
export function fatesOf(story: StoryEvidence): Fate[] {
  const again = story.posts.filter(({ text }) => text.includes('started it again'));
  return [...again.flatMap(toldFate), lastFate(story)];
}

function toldFate({ text }: SlackMessage): Fate[] {
  if (text.includes(UNCONFIRMED)) return ['unclear'];
  return text.includes('*Failed') ? ['failed'] : [];
}

/** The card says whether its start is confirmed; then the agent job says how it ended. */
function lastFate(story: StoryEvidence): Fate {
  const end = endOf(story);
  if (end === null || story.cards.some(({ text }) => text.includes(UNCONFIRMED))) return 'unclear';
  if (end.status === 'active') return 'open';
  if (end.status === 'failed') return 'failed';
  return end.prLink === null ? 'done' : 'pull_request';
}
